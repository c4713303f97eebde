// Without it each of the packages would name the repository by hand, and their pages on npm lead to files that are not
// there. The root's package.json alone says where the repository is; what is packed gets it from there.
import { readFileSync } from 'node:fs';
import { join, posix } from 'node:path';

const root = join(import.meta.dirname, '..');
const MEMBERS = ['repository', 'homepage', 'bugs'] as const;
type Member = (typeof MEMBERS)[number];

/** The https URLs of the repository, its page and its issues. */
export type Origin = Readonly<Record<Member, string>>;
export type Manifest = Readonly<Record<string, unknown>>;

/** The origin by the root's package.json, and the members that are missing there. */
export function originIn(manifest: Manifest): {
  readonly origin?: Origin;
  readonly missing: readonly string[];
} {
  const missing = MEMBERS.filter((member) => {
    const value = manifest[member];
    return typeof value !== 'string' || !value.startsWith('https://');
  });
  if (missing.length > 0) return { missing };
  const { repository, homepage, bugs } = manifest as unknown as Origin;
  return { origin: { repository: repository.replace(/(?:\.git)?\/?$/, ''), homepage, bugs }, missing };
}

/** The origin by the package.json of this workspace. */
export function origin(): ReturnType<typeof originIn> {
  return originIn(JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as Manifest);
}

/** The manifest for publication from a folder of the repository, without members that only the workspace uses. */
export function publishedManifest(manifest: Manifest, folder: string, from: Origin | undefined): Manifest {
  const { devDependencies: _, scripts: __, ...published } = manifest;
  if (from === undefined) return published;
  const repository = { type: 'git', url: `git+${from.repository}.git`, directory: folder };
  return { ...published, repository, homepage: from.homepage, bugs: { url: from.bugs } };
}

/** A README of a folder of the repository, with links that work from any page; others become text. */
export function publishedReadme(readme: string, folder: string, from: Origin | undefined): string {
  const blocks = readme.split(/(^```[\s\S]*?^```$)/m);
  return blocks.map((block, index) => (index % 2 === 1 ? block : withLinks(block, folder, from))).join('');
}

function withLinks(text: string, folder: string, from: Origin | undefined): string {
  return text.replaceAll(
    /(!?)\[([^\]]*)\]\((?![a-z]+:|#)([^)]+)\)/g,
    (_, image: string, words: string, path: string) => {
      if (from === undefined) return image === '' ? words : '';
      const kind = image === '' ? 'blob' : 'raw';
      return `${image}[${words}](${from.repository}/${kind}/HEAD/${posix.join(folder, path)})`;
    },
  );
}
