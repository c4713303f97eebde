// Sites as generators from npm build them, published by the command and used in Chromium. Run by hand: docs/testing.md.
import { execFile } from 'node:child_process';
import { cp, mkdtemp, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { Pin, Warning } from '@pinfold/client';
import { warningFinding } from '@pinfold/http/internal/texts';
import { expect } from 'chai';
import { closeAfterwards } from '../browser/closing.ts';
import { openService, type Service } from '../browser/open-service.ts';
import { SITES, type Site } from './sites.ts';
import { failuresOf } from './use-site.ts';

const ROOT = join(import.meta.dirname, '..', '..');
const DOCUMENT = join(ROOT, 'docs', 'publish-a-site.md');
const COMMAND = join(ROOT, 'packages', 'pinfold', 'src', 'main.ts');
const BEGIN = '<!-- The table of `npm run spec -- acceptance/sites/build-and-open.ts --write`. -->\n\n';
const HEADING = `| built with | fails in path mode | warnings there | what makes it work there |
|---|---|---|---|
`;
const run = promisify(execFile);

interface Built {
  readonly versions: Readonly<Record<string, string>>;
  /** The folder as the tool builds it without settings. */
  readonly plain: string;
  /** The folder as it is built with the setting for path mode, if there is one. */
  readonly cured?: string;
}

interface Manifest {
  readonly scripts: { readonly build: string; readonly cured?: string };
  readonly dependencies: Readonly<Record<string, string>>;
}

/** Builds it in a temporary folder, as its author would. */
async function build({ folder }: Site): Promise<Built> {
  const work = await mkdtemp(join(tmpdir(), `pinfold-${folder}-`));
  closeAfterwards(() => rm(work, { recursive: true }));
  const cwd = join(work, 'project');
  await cp(join(import.meta.dirname, folder), cwd, { recursive: true });
  await cp(join(import.meta.dirname, 'common'), join(cwd, 'common'), { recursive: true });
  const { scripts, dependencies }: Manifest = JSON.parse(await readFile(join(cwd, 'package.json'), 'utf8'));
  const env = outerEnvironment();
  const npm = (...parameters: readonly string[]) => run('npm', parameters, { cwd, env });
  await npm('install', '--ignore-scripts', '--no-package-lock', '--no-audit', '--no-fund');
  const builtBy = async (script: string): Promise<string> => {
    await npm('run', script);
    await rename(join(cwd, 'dist'), join(work, script));
    return join(work, script);
  };
  const plain = await builtBy('build');
  const cured = scripts.cured === undefined ? {} : { cured: await builtBy('cured') };
  return { versions: dependencies, plain, ...cured };
}

/** Without the variables that the npm and the CI that run this set for their own programs. */
function outerEnvironment(): NodeJS.ProcessEnv {
  const entries = Object.entries(process.env).filter(([name]) => !/^(?:npm_|GITHUB_|GITLAB_|CI)/.test(name));
  return { ...Object.fromEntries(entries), NODE_OPTIONS: '' };
}

interface Opened {
  readonly warnings: readonly Warning[];
  readonly failures: readonly string[];
}

/** Publishes a folder by the command, and uses the site. */
async function publishAndOpen(folder: string, { url, key }: Service): Promise<Opened> {
  const program = ['--conditions=@pinfold/source', '--disable-warning=ExperimentalWarning', COMMAND];
  const env = { ...outerEnvironment(), PINFOLD_URL: url, PINFOLD_KEY: key };
  const { stdout } = await run(process.execPath, [...program, 'publish', folder, '--json'], { env });
  const { pin, warnings }: { pin: Pin; warnings: readonly Warning[] } = JSON.parse(stdout);
  return { warnings, failures: await failuresOf(pin.shared_url) };
}

const rulesOf = (warnings: readonly Warning[]): readonly string[] =>
  [...new Set(warnings.map(({ rule }) => rule))].sort();
/** A row of the table in the documents. */
function rowOf({ builtWith, cure }: Site, { versions }: Built, { warnings, failures }: Opened): string {
  const named = Object.entries(builtWith).map(
    ([name, text]) => `${name} ${versions[text]?.replace(/\.\d+$/, '')}`,
  );
  const rules = rulesOf(warnings).map((rule) => `\`${rule}\``);
  const failing = failures.length === 0 ? 'nothing' : failures.join(', ');
  return `| ${named.join(', ')} | ${failing} | ${rules.join(', ') || 'none'} | ${cure} |`;
}

const rows: string[] = [];
for (const site of SITES) {
  describe(`a site of ${Object.keys(site.builtWith).join(' and ')}`, () => {
    let built: Built;
    let inPathMode: Service;
    before(async () => {
      inPathMode = await openService('path');
      built = await build(site);
    });

    it('works in origin mode, without a warning', async () => {
      const service = await openService('origin');
      for (const folder of new Set([built.plain, built.cured ?? built.plain])) {
        const { warnings, failures } = await publishAndOpen(folder, service);
        expect({ failures, rules: rulesOf(warnings) }).to.deep.equal({ failures: [], rules: [] });
      }
    });

    it('is warned of in path mode if it fails there, and works with the setting that the warning names', async () => {
      const opened = await publishAndOpen(built.plain, inPathMode);
      rows.push(rowOf(site, built, opened));
      console.log(rows.at(-1));
      const rules = rulesOf(opened.warnings);
      // The others say "may".
      if (opened.failures.length === 0) expect(rules).not.to.include('absolute_reference');
      else expect(rules).not.to.deep.equal([]);
      if (site.tool === undefined) return;
      const warning = {
        rule: 'absolute_reference',
        path: 'index.html',
        target: '/',
        tool: site.tool,
      } as const;
      const { texts, values } = warningFinding(warning);
      for (const { rule, detail } of opened.warnings.filter(({ rule }) => rule === warning.rule))
        for (const word of Object.values(values).map(String)) expect(detail, rule).to.include(word);
      expect(built.cured === undefined, 'there is a cure').to.equal(texts.includes('advice_none'));
      if (built.cured === undefined) return;
      const cured = await publishAndOpen(built.cured, inPathMode);
      expect(cured.failures).to.deep.equal([]);
      expect(rulesOf(cured.warnings)).not.to.include('absolute_reference');
    });
  });
}

describe('the table of the documents', () => {
  it('matches these sites', async () => {
    expect(rows).to.have.length(SITES.length);
    const text = await readFile(DOCUMENT, 'utf8');
    const [before = '', after = ''] = text.split(BEGIN);
    const rest = after.slice(after.indexOf('\n\n'));
    const written = `${before}${BEGIN}${HEADING}${rows.join('\n')}${rest}`;
    if (process.argv.includes('--write')) await writeFile(DOCUMENT, written);
    else expect(text).to.equal(written);
  });
});
