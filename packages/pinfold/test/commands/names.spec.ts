import { expect } from 'chai';
import { failureOf, run, runPiped, runWith } from '../command-run.ts';
import { type Served, SHELLS, type Shell, serve } from '../servers/served.ts';

const UNKNOWN = '0c5a1f6e-2b7d-4e9a-9c3f-8d1b6a7e4f20';

for (const [way, shellOf] of Object.entries(SHELLS)) {
  describe(`names and passwords of the command, ${way}`, () => {
    let served: Served;
    let page: string;
    let env: Shell['env'];
    let cli: Shell['run'];
    let json: Shell['json'];

    beforeEach(async () => {
      served = await serve({ PINFOLD_VIEWER_MODE: 'path' });
      page = await served.write('page.html', '<!doctype html><title>x</title><p>first');
      ({ env, run: cli, json } = shellOf(served));
    });

    /** Publishes with the password from a pipe. */
    async function protectedPage(...args: readonly string[]) {
      const words = ['publish', page, '--password-stdin', '--json', ...args];
      const { code, out, err } = await runPiped('correct horse\nnot this line\n', env, ...words);
      expect(code, err).to.equal(0);
      return JSON.parse(out);
    }

    const shown = async (url: string): Promise<string> => (await fetch(url)).text();

    it('show the newest publication under one link', async () => {
      const first = await json('publish', page, '--to', 'docs');
      expect(first.name).to.include({ name: 'docs', pin: first.pin.id });
      await served.write('page.html', '<!doctype html><title>x</title><p>second');
      const { code, out, err } = await cli('publish', page, '--to', 'docs');
      expect([code, out.startsWith(`${served.url}/s/`)], err).to.deep.equal([0, true]);
      expect(err).to.include(first.name.url);
      expect(await shown(first.name.url)).to.include('second');
      expect(await shown(first.pin.shared_url)).to.include('first');
      const { names } = await json('names', 'list');
      expect(names).to.have.length(1);
      expect(out.trim().endsWith(names[0].pin)).to.equal(true);
      expect((await cli('names', 'list')).out).to.equal(
        `${first.name.url}  docs  ${names[0].pin}  ${names[0].updated_at}  published  ${names[0].pin_expires_at}\n`,
      );
      const back = await json('names', 'set', 'docs', first.pin.shared_url);
      expect(back.name).to.include({ url: first.name.url, pin: first.pin.id });
    });

    it('return to the previous publication, and back again', async () => {
      const [first, second] = [await json('publish', page, '--to', 'docs'), await json('publish', page)];
      expect(failureOf(await cli('names', 'set', 'docs', '--back', '--json'))).to.equal('1 invalid_state');
      await json('names', 'set', 'docs', second.pin.id);
      const back = await json('names', 'set', 'docs', '--back');
      expect(back.name).to.include({ pin: first.pin.id, previous: second.pin.id, pin_state: 'published' });
      const forth = await json('names', 'set', 'docs', '--back');
      expect(forth.name).to.include({ pin: second.pin.id, previous: first.pin.id });
      await json('stop', first.pin.id);
      expect(failureOf(await cli('names', 'set', 'docs', '--back', '--json'))).to.equal('1 invalid_state');
      expect((await json('names', 'list')).names[0]).to.include({ pin: second.pin.id });
      expect(failureOf(await cli('names', 'set', 'other', '--back', '--json'))).to.equal('1 not_found');
    });

    it('replace a protected publication by an unprotected one only on request', async () => {
      const open = (await json('publish', page, '--to', 'docs')).pin.id;
      const closed = (await protectedPage('--to', 'docs')).pin.id;
      const other = (await protectedPage()).pin.id;
      for (const next of [['--back'], [open]]) {
        const refused = await cli('names', 'set', 'docs', ...next, '--json');
        expect(failureOf(refused), next[0]).to.equal('1 usage');
        expect(refused.err).to.include('--no-password');
        expect((await json('names', 'list')).names[0].pin).to.equal(closed);
        const moved = await json('names', 'set', 'docs', ...next, '--no-password');
        expect(moved.name.pin).to.equal(open);
        expect((await json('names', 'set', 'docs', closed)).name.pin, 'to a protected one').to.equal(closed);
      }
      expect((await json('names', 'set', 'docs', other)).name.pin, 'between protected ones').to.equal(other);
    });

    it('explain why a stopped publication cannot be used', async () => {
      const { pin } = await json('publish', page, '--to', 'docs');
      await json('stop', pin.id);
      for (const [args, message] of [
        [['stop', pin.id], 'already deleted: treat it as stopped'],
        [['rename', pin.id, 'New'], 'can no longer change: publish the site again'],
        [['names', 'set', 'docs', pin.id], 'point the name at one that is in service'],
      ] as const) {
        const { code, err } = await cli(...args);
        expect([code, err.includes(message)], err).to.deep.equal([1, true]);
      }
    });

    it('resolve their own links to publications, and no others', async () => {
      const { pin, name } = await json('publish', page, '--to', 'docs');
      for (const link of [name.url, `${name.url}/`, `${name.url}/a/b?c=d#e`])
        expect((await json('show', link)).pin.id, link).to.equal(pin.id);
      const opened = await json('open', '--print', name.url);
      expect(opened.url).to.equal(pin.shared_url);
      for (const link of [pin.shared_url, `${pin.shared_url}/~grant/page?x#y`, name.url])
        for (const command of [['renew'], ['names', 'set', 'again'], ['pin'], ['unpin']]) {
          const shell = command.length === 1 && command[0] !== 'renew' ? served : { run: cli };
          const { code, out, err } = await shell.run(...command, link, '--json');
          expect([code, out.includes(pin.id)], `${command.join(' ')} ${link} ${err}`).to.deep.equal([
            0,
            true,
          ]);
        }
      const foreignLinks = [pin.shared_url, name.url].map((url) => url.replace(/\/\/[^/]+/, '//pin.example'));
      for (const link of foreignLinks) {
        expect((await served.run('pins', 'show', link)).code, link).to.equal(1);
        expect(failureOf(await cli('stop', link, '--json')), link).to.equal('1 not_found');
      }
      // Only the token is significant: the link in another spelling resolves to the same name.
      for (const spelling of ['old-docs', 'Docs', 'd--o.c%20s', '-', 'x'.repeat(70)]) {
        const link = name.url.replace('/n/docs-', `/n/${spelling}-`);
        expect((await json('show', link)).pin.id, link).to.equal(pin.id);
        expect((await served.json('pins', 'show', link)).pin.id, link).to.equal(pin.id);
      }
      const other = `${served.url}/n/docs-${'0'.repeat(22)}`;
      const missed = await cli('show', other);
      expect([missed.code, missed.err]).to.deep.equal([
        1,
        'pinfold: There is no such name in your account.\n',
      ]);
      expect((await cli('show', `${served.url}/n/docs`)).code).to.equal(2);
    });

    it('let the URL of a site be used like their links, but not one of another server', async () => {
      const origin = await serve();
      const { env: there, run: shell, json } = shellOf(origin);
      const { pin } = await json('publish', page);
      const { port } = new URL(pin.shared_url);
      const own = `http://${pin.id.toUpperCase()}.localhost:${port}/a/b?c#d`;
      const foreign = [`https://${pin.id}.pin.example/`, `http://${pin.id}.localhost:1/`];
      expect((await json('renew', own)).pin.id).to.equal(pin.id);
      for (const url of foreign) {
        expect(failureOf(await shell('stop', url, '--json')), url).to.equal('1 not_found');
      }
      const steps = {
        open: () => json('show', own),
        protected: () => runPiped('correct horse\n', there, 'password', own),
        ended: () => json('stop', own),
      };
      for (const [state, step] of Object.entries(steps)) {
        await step();
        expect((await origin.json('pins', 'show', own)).pin.id, state).to.equal(pin.id);
        for (const url of foreign) {
          expect(failureOf(await origin.run('pins', 'show', url, '--json')), `${state}: ${url}`).to.equal(
            '1 not_found',
          );
        }
      }
      const { pin: inPath } = await json('publish', page);
      const { code } = await served.run('pins', 'show', `http://${inPath.id}.localhost:${port}/`);
      expect(code, 'a site has no host of its own in path mode').to.equal(1);
    });

    it('are deleted, and reported missing unless --if-exists is given', async () => {
      const { name } = await json('publish', page, '--to', 'docs');
      expect(await json('names', 'delete', 'docs')).to.deep.equal({ name: 'docs', deleted: true });
      await json('publish', page, '--to', 'other');
      const { events } = await served.json('history', '--name', 'docs');
      expect(events.map(({ type }: { readonly type: string }) => type)).to.deep.equal([
        'name.deleted',
        'name.set',
      ]);
      expect((await served.json('history', '--name', 'docs', '--limit', '1')).events).to.have.length(1);
      const shown: string[] = [];
      await runWith({ progress: (line) => shown.push(line) }, served.env, 'history', '--name', 'nothing');
      expect(shown[0]).to.match(/^looking through the history: \d+ events$/);
      expect(shown.at(-1), 'the line is empty again').to.equal('');
      expect((await fetch(name.url)).status).to.equal(404);
      const again = await cli('names', 'delete', 'docs', '--json');
      expect(failureOf(again)).to.equal('1 not_found');
      expect(again.err).to.equal('pinfold: There is no such name in your account.\n');
      expect((await json('names', 'delete', 'docs', '--if-exists')).deleted).to.equal(false);
      expect((await cli('names', 'set', 'docs', UNKNOWN)).err).to.include('no such publication');
    });

    it('stop the publications that only they have shown since their creation', async () => {
      const publish = async (name: string): Promise<string> =>
        (await json('publish', page, '--to', name)).pin.id;
      const stateOf = async (id: string): Promise<string> => (await json('show', id)).pin.state;
      const before = await publish('docs');
      expect(await json('names', 'delete', 'docs')).not.to.have.any.keys('stopped');
      const [first, elsewhere, pinned, stoppedBefore] = [
        await publish('docs'),
        await publish('docs'),
        await publish('docs'),
        await publish('docs'),
      ];
      const other = await publish('docs-2');
      await json('names', 'set', 'stable', elsewhere);
      await served.run('pin', pinned);
      await json('stop', stoppedBefore);
      const { stopped, ...rest } = await json('names', 'delete', 'docs', '--stop');
      expect(rest).to.deep.equal({ name: 'docs', deleted: true });
      expect(stopped).to.have.members([pinned, first]);
      const states = await Promise.all([before, elsewhere, other, first, pinned].map(stateOf));
      expect(states).to.deep.equal(['published', 'published', 'published', 'deleted', 'deleted']);
      expect(failureOf(await cli('names', 'delete', 'docs', '--stop', '--json'))).to.equal('1 not_found');
      const missed = await json('names', 'delete', 'docs', '--stop', '--if-exists');
      expect(missed).to.deep.equal({ name: 'docs', deleted: false, stopped: [] });
      const { out } = await cli('names', 'delete', 'docs', '--stop', '--if-exists');
      expect(out).to.equal('There is no name docs.\nNo publication was stopped.\n');
    });

    it('stop their publications even after they were deleted', async () => {
      const { pin } = await json('publish', page, '--to', 'docs');
      await json('names', 'delete', 'docs');
      const { code, out } = await cli('names', 'delete', 'docs', '--stop');
      expect([code, out]).to.deep.equal([0, `There is no name docs.\n${pin.id} is stopped.\n`]);
    });

    it('are not changed by a check', async () => {
      const checked = await json('publish', page, '--to', 'docs', '--dry-run');
      expect(checked).to.deep.include({ pin: null, name: null, warnings: [] });
      expect((await json('names', 'list')).names).to.deep.equal([]);
    });

    it('are derived from the branch', async () => {
      const job = { CI_COMMIT_BRANCH: 'feature/x' };
      const published = await run({ ...env, ...job }, 'publish', page, '--to-branch', '--json');
      expect(JSON.parse(published.out).name.name).to.equal('feature-x-217d2bf5');
      expect((await run({ ...env, ...job }, 'names', 'delete', '--to-branch')).code).to.equal(0);
    });

    it('report wrong usage before any request', async () => {
      for (const args of [
        ['publish', page, '--to', 'Docs'],
        ['publish', page, '--to', ''],
        ['publish', page, '--to', 'docs', '--to-branch'],
        ['publish', page, '--to-branch'],
        ['publish', page, '--password-stdin', '--no-password'],
        ['publish', '-', '--name', 'x.html', '--password-stdin'],
        ['names', 'set', '-x', UNKNOWN],
        ['names', 'set', 'docs', 'x'],
        ['names', 'set', 'docs'],
        ['names', 'set', 'docs', UNKNOWN, '--back'],
        ['names', 'delete'],
        ['names', 'delete', 'docs', '--to-branch'],
      ])
        expect((await cli(...args)).code, args.join(' ')).to.equal(2);
      expect((await json('list')).pins).to.deep.equal([]);
    });

    it('protect a publication from its first moment', async () => {
      const { pin } = await protectedPage();
      expect(pin.password_protected).to.equal(true);
      const unlocked = await fetch(pin.shared_url, {
        method: 'POST',
        redirect: 'manual',
        body: new URLSearchParams({ password: 'correct horse' }),
      });
      expect(unlocked.status).to.equal(303);
      const empty = await runPiped('\n', env, 'publish', page, '--password-stdin');
      expect(empty.code).to.equal(2);
      expect(
        failureOf(await runPiped('short\n', env, 'publish', page, '--password-stdin', '--json')),
      ).to.equal('1 invalid_password');
    });

    it('do not lose a password by mistake', async () => {
      const { pin } = await protectedPage('--to', 'docs');
      const refused = await cli('publish', page, '--to', 'docs');
      expect(refused.code).to.equal(1);
      expect(refused.err).to.include('--password-stdin').and.include('--no-password');
      expect(failureOf(await cli('publish', page, '--to', 'docs', '--json'))).to.equal('1 usage');
      expect((await json('names', 'list')).names[0].pin).to.equal(pin.id);
      const { warnings, name } = await json('publish', page, '--to', 'docs', '--no-password');
      expect(warnings.map(({ rule }: { rule: string }) => rule)).to.deep.equal(['password_dropped']);
      expect(name.pin).not.to.equal(pin.id);
    });

    it('refuse a replay without a password if one is given', async () => {
      await json('publish', page, '--idempotency-key', 'mine');
      const args = ['publish', page, '--password-stdin', '--idempotency-key', 'mine', '--json'];
      const replayed = await runPiped('correct horse\n', env, ...args);
      expect(failureOf(replayed)).to.equal('1 invalid_state');
      expect(replayed.err).to.include('has no password');
    });
  });
}
