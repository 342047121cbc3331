/** Mantine in our tokens: the components' CSS variables point at tokens.css, so both schemes come from there. */
import { Button, createTheme, NativeSelect, Textarea, TextInput, type CSSVariablesResolver } from "@mantine/core";

export const theme = createTheme({
  fontFamily: "var(--font)",
  fontFamilyMonospace: "var(--mono)",
  defaultRadius: 6,
  cursorType: "pointer",
  respectReducedMotion: true,
  fontSizes: { xs: "12px", sm: "13px", md: "14px", lg: "16px", xl: "18px" },
  components: {
    Button: Button.extend({
      defaultProps: { size: "xs", variant: "default" },
      styles: { root: { fontWeight: 500 } },
      vars: (_, { variant }) => ({ root: variant === "filled" ? { "--button-color": "var(--on-accent)" } : {} }),
    }),
    TextInput: TextInput.extend({ defaultProps: { size: "sm" } }),
    NativeSelect: NativeSelect.extend({ defaultProps: { size: "sm" } }),
    Textarea: Textarea.extend({ defaultProps: { size: "sm" } }),
  },
});

const variables = {
  "--mantine-color-body": "var(--surface)",
  "--mantine-color-text": "var(--text)",
  "--mantine-color-dimmed": "var(--dim)",
  "--mantine-color-error": "var(--bad)",
  "--mantine-color-placeholder": "var(--dim)",
  "--mantine-color-anchor": "var(--accent)",
  "--mantine-color-default": "var(--surface)",
  "--mantine-color-default-hover": "var(--hover)",
  "--mantine-color-default-color": "var(--text)",
  "--mantine-color-default-border": "var(--line-strong)",
  "--mantine-primary-color-filled": "var(--accent)",
  "--mantine-primary-color-filled-hover": "color-mix(in srgb, var(--accent) 88%, var(--text))",
  "--mantine-primary-color-contrast": "var(--on-accent)",
  "--mantine-color-blue-filled": "var(--accent)",
  "--mantine-color-blue-filled-hover": "color-mix(in srgb, var(--accent) 88%, var(--text))",
  // Borders and backgrounds of inputs; Mantine's own borders are too faint to find an input by (WCAG 1.4.11).
  "--mantine-color-gray-4": "var(--line-strong)",
  "--mantine-color-dark-4": "var(--line-strong)",
  "--mantine-color-dark-6": "var(--surface)",
};

/** The same variables for both schemes: the tokens themselves switch. */
export const resolveVariables: CSSVariablesResolver = () => ({
  variables: {},
  light: variables,
  dark: variables,
});
