import { observe, ReferenceFilter, SitePaths } from '@pinfold/archive-zip/observe';
import { type ObservedFile, type Warning, warningsOf } from '../../src/domain/warnings.ts';

export type Site = Readonly<Record<string, string>>;

/** Observes files. Default: each with a reference filter of its own. */
export function observed(
  site: Site,
  filterFor: (paths: SitePaths) => ReferenceFilter = (paths) => new ReferenceFilter(paths),
): readonly ObservedFile[] {
  const paths = new SitePaths(Object.keys(site));
  return Object.entries(site).map(([path, text]) => {
    const observation = observe(path, text);
    const filter = filterFor(paths);
    const references = filter.filter(path, observation.references);
    return { ...observation, path, references, modules: filter.modules(path, observation.references) };
  });
}

export function warnings(site: Site, absolutePathsWork: boolean = true): readonly Warning[] {
  return warningsOf(observed(site), absolutePathsWork);
}

export const rules = (site: Site, absolutePathsWork: boolean = true): string[] =>
  warnings(site, absolutePathsWork).map((warning) =>
    'path' in warning ? `${warning.rule} ${warning.path}` : warning.rule,
  );
