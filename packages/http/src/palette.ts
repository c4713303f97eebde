/** The design tokens of all pages: colors for the light and the dark theme, fonts, corners. */
export const palette = {
  page: 'light-dark(oklch(0.982 0.003 95),oklch(0.185 0.008 265))',
  surface: 'light-dark(oklch(1 0 0),oklch(0.225 0.01 265))',
  raised: 'light-dark(oklch(0.965 0.005 265),oklch(0.275 0.013 265))',
  text: 'light-dark(oklch(0.245 0.018 265),oklch(0.935 0.006 265))',
  quiet: 'light-dark(oklch(0.49 0.018 265),oklch(0.73 0.014 265))',
  line: 'light-dark(oklch(0.9 0.006 265),oklch(0.335 0.014 265))',
  edge: 'light-dark(oklch(0.62 0.015 265),oklch(0.56 0.018 265))',
  accent: 'light-dark(oklch(0.5 0.17 268),oklch(0.76 0.11 268))',
  'accent-strong': 'light-dark(oklch(0.44 0.17 268),oklch(0.82 0.09 268))',
  'accent-faint': 'light-dark(oklch(0.965 0.016 268),oklch(0.275 0.045 268))',
  'on-accent': 'light-dark(oklch(1 0 0),oklch(0.2 0.04 268))',
  good: 'light-dark(oklch(0.46 0.11 155),oklch(0.79 0.13 155))',
  'good-faint': 'light-dark(oklch(0.965 0.025 155),oklch(0.265 0.035 155))',
  warning: 'light-dark(oklch(0.48 0.11 65),oklch(0.83 0.12 80))',
  'warning-faint': 'light-dark(oklch(0.968 0.035 85),oklch(0.275 0.035 75))',
  bad: 'light-dark(oklch(0.5 0.18 27),oklch(0.77 0.13 25))',
  'bad-faint': 'light-dark(oklch(0.968 0.016 27),oklch(0.27 0.04 25))',
  'on-bad': 'light-dark(oklch(1 0 0),oklch(0.2 0.04 25))',
  sans: 'system-ui,"Hiragino Sans","Noto Sans JP","Noto Sans CJK JP","Yu Gothic UI",Meiryo,sans-serif',
  mono: 'ui-monospace,"SF Mono","Cascadia Mono",Menlo,Consolas,monospace',
  small: '0.875rem',
  large: '1.125rem',
  title: '1.5rem',
  radius: '8px',
  shadow:
    '0 1px 2px light-dark(oklch(0.3 0.03 265 / 0.06),oklch(0 0 0 / 0.3)),0 8px 20px light-dark(oklch(0.3 0.03 265 / 0.05),oklch(0 0 0 / 0.25))',
  fast: '120ms',
} as const;

/** The beginning of a style sheet: the colors of the palette that it uses; all of them without a sheet. */
export function paletteOf(sheet?: string): string {
  const used = Object.entries(palette).filter(([name]) => sheet?.includes(`var(--${name})`) ?? true);
  return `:root{color-scheme:light dark;\n${used.map(([name, value]) => `--${name}:${value}`).join(';\n')}}\n`;
}
