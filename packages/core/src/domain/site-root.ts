/** The folder to strip with its slash, `''` for none, `undefined` when there is no index.html where one must be. */
export function siteRoot(names: readonly string[]): string | undefined {
  if (names.includes('index.html')) return '';
  const folder = onlyFolder(names);
  return folder !== undefined && names.includes(`${folder}index.html`) ? folder : undefined;
}

/** The folder that holds everything, with its slash. */
export function onlyFolder(names: readonly string[]): string | undefined {
  const [first = ''] = names;
  const folder = first.slice(0, first.indexOf('/') + 1);
  return folder !== '' && names.every((name) => name.startsWith(folder)) ? folder : undefined;
}
