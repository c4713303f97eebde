const PAGE = /\.html?$/i;

/** Whether a file is looked through for references, too. */
export function isPage(path: string): boolean {
  return PAGE.test(path);
}
