import { useComputedColorScheme } from "@mantine/core";
import { type MouseEvent, useEffect, useRef } from "react";
import { cellAt, cellPx, ramp, strength } from "./heat";
import classes from "./HeatStrip.module.css";
import { token } from "../../../charts/token";

const RAMP = ["--heat-0", "--heat-1", "--heat-2", "--heat-3"] as const;

interface Props {
  values: readonly (number | null)[];
  /** Values up to this are not drawn. */
  least: number;
  /** The value of the strongest colour. */
  most: number;
  /** The chosen cell. */
  cursor: number | null;
  onPoint: (cell: number) => void;
  onChoose: (cell: number) => void;
}

/** One row of cells on a canvas, hidden from screen readers: the table around it has the numbers. */
export function HeatStrip({ values, least, most, cursor, onPoint, onChoose }: Props) {
  const canvas = useRef<HTMLCanvasElement>(null);
  const scheme = useComputedColorScheme("light");
  useEffect(() => {
    const target = canvas.current;
    if (!target) return;
    const draw = (): void => paint(target, values, least, most, cursor);
    draw();
    const observer = new ResizeObserver(draw);
    observer.observe(target);
    return () => observer.disconnect();
  }, [values, least, most, cursor, scheme]);
  const cellUnder = ({ currentTarget, clientX }: MouseEvent<HTMLCanvasElement>): number => {
    const box = currentTarget.getBoundingClientRect();
    return cellAt(clientX - box.left, values.length, box.width);
  };
  return (
    <canvas
      ref={canvas}
      className={classes.strip}
      aria-hidden="true"
      onMouseMove={(event) => onPoint(cellUnder(event))}
      onClick={(event) => onChoose(cellUnder(event))}
    />
  );
}

function paint(canvas: HTMLCanvasElement, values: Props["values"], least: number, most: number, cursor: number | null): void {
  const ratio = window.devicePixelRatio || 1;
  const [width, height] = [Math.round(canvas.clientWidth * ratio), Math.round(canvas.clientHeight * ratio)];
  if (canvas.width !== width || canvas.height !== height) Object.assign(canvas, { width, height });
  const context = canvas.getContext("2d");
  if (!context) return;
  const colours = RAMP.map((name) => token(canvas, name));
  context.clearRect(0, 0, width, height);
  values.forEach((value, i) => {
    if (value === null) return;
    const [left, cell] = cellPx(i, values.length, width);
    context.fillStyle = ramp(colours, strength(value, least, most));
    context.fillRect(left, 0, cell, height);
  });
  if (cursor === null || cursor >= values.length) return;
  const [left, cell] = cellPx(cursor, values.length, width);
  context.strokeStyle = token(canvas, "--text");
  context.lineWidth = 2 * ratio;
  context.strokeRect(left + ratio, ratio, Math.max(1, cell - 2 * ratio), height - 2 * ratio);
}
