import { observe, ReferenceFilter, SitePaths } from '@pinfold/archive-zip/observe';
import { type ObservedFile, type Warning, warningsOf } from '../../src/domain/warnings.ts';

export type Site = Readonly<Record<string, string>>;

/** Observes files. Default: with a reference filter for each of them. */
export function observed(
  site: Site,
  sieveFor: (paths: SitePaths) => ReferenceFilter = (paths) => new ReferenceFilter(paths),
): readonly ObservedFile[] {
  const paths = new SitePaths(Object.keys(site));
  return Object.entries(site).map(([path, text]) => {
    const seen = observe(path, text);
    const sieve = sieveFor(paths);
    const references = sieve.filter(path, seen.references);
    return { ...seen, path, references, modules: sieve.modules(path, seen.references) };
  });
}

export function warnings(site: Site, absolutePathsWork: boolean = true): readonly Warning[] {
  return warningsOf(observed(site), absolutePathsWork);
}

export const rules = (site: Site, absolutePathsWork: boolean = true): string[] =>
  warnings(site, absolutePathsWork).map((warning) =>
    'path' in warning ? `${warning.rule} ${warning.path}` : warning.rule,
  );
