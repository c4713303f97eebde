import { forbiddenSegment } from '@pinfold/core/internal';

/** Paths that may be in no site, each by its outermost forbidden part: a folder once, with `/` at its end. */
export function outermostForbidden(paths: readonly string[]): readonly string[] {
  return [...new Set(paths.flatMap((path) => forbiddenPart(path) ?? []))].sort();
}

/** Whether a path may be in no site. Some tools of Windows write `\\` between folders. */
export function isForbidden(path: string): boolean {
  return forbiddenSegment(path.replaceAll('\\', '/')) !== undefined;
}

function forbiddenPart(path: string): string | undefined {
  const segments = path.replaceAll('\\', '/').split('/');
  const at = segments.findIndex((segment) => forbiddenSegment(segment) !== undefined);
  if (at === -1) return undefined;
  return `${segments.slice(0, at + 1).join('/')}${at === segments.length - 1 ? '' : '/'}`;
}
