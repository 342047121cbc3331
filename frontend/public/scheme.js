// Before the first paint: the colour scheme that was chosen here last, else the system's.
const chosen = localStorage.getItem("mantine-color-scheme-value");
const isDark = chosen === "dark" || (chosen !== "light" && matchMedia("(prefers-color-scheme: dark)").matches);
document.documentElement.dataset.mantineColorScheme = isDark ? "dark" : "light";
