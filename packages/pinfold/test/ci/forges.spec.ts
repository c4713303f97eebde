import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { PinfoldClient } from '@pinfold/client';
import { expect } from 'chai';
import { parse } from 'yaml';
import { readRelease } from '../../src/release.ts';
import { type Served, serve } from '../servers/served.ts';
import { GitHubApi, interpolate, readAction, runAction, runWorkflow, type Workflow } from './github.ts';
import { readJobs, runJob, serveNameUrl } from './gitlab.ts';
import { createWorkspace, type Env, type Workspace } from './shell.ts';

const GUIDE = join(import.meta.dirname, '..', '..', '..', '..', 'docs', 'ci.md');
const SECRET = 'a password\n100%';

/** The blocks of the guide in one language. */
async function readSamples(language: string): Promise<readonly string[]> {
  const blocks = (await readFile(GUIDE, 'utf8')).matchAll(/^```(\w+)\n([\s\S]*?)^```$/gm);
  return [...blocks].filter(([, blockLanguage]) => blockLanguage === language).map(([, , code = '']) => code);
}

describe('publishing from CI', () => {
  let served: Served;
  let workspace: Workspace;
  let github: GitHubApi;
  let client: PinfoldClient;
  let event: string;
  /** The variables of each job of GitHub Actions. */
  let job: Env;

  beforeEach(async () => {
    served = await serve({ PINFOLD_VIEWER_MODE: 'path' });
    workspace = await createWorkspace();
    github = new GitHubApi();
    const api = await github.listen();
    client = new PinfoldClient({ url: served.url, key: served.key });
    event = join(workspace.folder, 'event.json');
    job = {
      GITHUB_RUN_ID: '1',
      GITHUB_JOB: 'publish',
      GITHUB_EVENT_PATH: event,
      GITHUB_REPOSITORY: 'example/site',
      GITHUB_API_URL: api.url,
      GITHUB_GRAPHQL_URL: `${api.url}/graphql`,
      CONTENT: 'first',
    };
    await pullRequest('synchronize');
  });

  /** The runner's variables for a pull request; writes the file of the event. */
  async function pullRequest(action: string, from = 'example/site') {
    const head = { sha: 'f00d', repo: { full_name: from } };
    const payload = { action, number: 12, pull_request: { head } };
    await writeFile(event, JSON.stringify(payload));
    return contextOf('pull_request', payload);
  }

  function contextOf(name: string, payload: object) {
    return {
      github: {
        token: 'the-token',
        event_name: name,
        event: payload,
        ref: 'refs/heads/main',
        repository: 'example/site',
      },
      secrets: { PINFOLD_KEY: served.key },
      vars: { PINFOLD_URL: served.url },
    };
  }

  async function listNames(): Promise<readonly string[]> {
    const found: string[] = [];
    for await (const { name } of client.names.list()) found.push(name);
    return found;
  }

  async function fetchText(url: string): Promise<string> {
    return (await fetch(url)).text();
  }

  const runStep = (inputs: object, env: Env = {}) => {
    const allInputs = { path: 'dist', url: served.url, key: served.key, ...inputs };
    return runAction(allInputs, contextOf('push', {}), { ...job, ...env }, workspace);
  };

  async function build(content: string): Promise<void> {
    await workspace.run(['sh'], 'npm run build', { CONTENT: content });
  }

  it('uses the release of the command by default', async () => {
    const [version] = (await readRelease()).split('+');
    expect((await readAction()).inputs.version?.default).to.equal(version);
    expect((await readJobs()).publish.variables?.SITE_VERSION).to.equal(version);
    expect(await readFile(GUIDE, 'utf8')).to.include(`pinfold@${version}`);
  });

  it('runs the workflow of the guide: a pull request has one comment and one name until it is closed', async () => {
    const [source = ''] = await readSamples('yaml');
    const workflow: Workflow = parse(source);
    const opened = await runWorkflow(workflow, await pullRequest('opened'), job, workspace);
    expect(opened.map(({ code, err }) => [code, err]).at(-1)?.[0], opened.at(-1)?.err).to.equal(0);
    const first = opened.at(-1)?.outputs ?? {};
    const later = { ...job, GITHUB_RUN_ID: '2', CONTENT: 'second' };
    const pushed = await runWorkflow(workflow, await pullRequest('synchronize'), later, workspace);
    const second = pushed.at(-1)?.outputs ?? {};
    expect(await listNames()).to.deep.equal(['pr-12']);
    expect(second['name-url']).to.equal(first['name-url']);
    const { environment, steps: jobSteps } = workflow.jobs.publish ?? { steps: [] };
    const { id: stepId = '' } = jobSteps.find(({ with: inputs }) => inputs?.path !== undefined) ?? {};
    const outputs = { steps: { [stepId]: { outputs: second } } };
    expect(interpolate(environment?.url ?? '', outputs)).to.equal(second['name-url']);
    expect((await client.names.get('pr-12')).name.pin).to.equal(second.id);
    expect(await fetchText(String(second['name-url']))).to.include('second');
    expect(await fetchText(String(first.url))).to.include('first');
    expect(github.comments.map(({ body }) => body)).to.have.length(1);
    expect(github.comments[0]?.body)
      .to.include(second.url)
      .and.include(second['name-url'])
      .and.include('f00d');
    const closed = await runWorkflow(workflow, await pullRequest('closed'), later, workspace);
    expect(closed.map(({ code }) => code)).to.deep.equal([0]);
    expect(await listNames()).to.deep.equal([]);
    for (const { url } of [first, second]) expect((await fetch(String(url))).status, url).to.equal(404);
  });

  it('runs nothing for a pull request of a fork, and has one concurrency group for each name', async () => {
    const [source = ''] = await readSamples('yaml');
    const workflow: Workflow = parse(source);
    for (const action of ['opened', 'closed'])
      expect(
        await runWorkflow(workflow, await pullRequest(action, 'stranger/site'), job, workspace),
      ).to.deep.equal([]);
    const { group } = workflow.concurrency;
    expect(interpolate(group, await pullRequest('opened'))).to.equal('pinfold-12');
    expect(interpolate(group, contextOf('push', {}))).to.equal('pinfold-refs/heads/main');
    expect(source).not.to.include('pull_request_target');
  });

  it('renews the publication of a name, on the schedule of the guide', async () => {
    const [source = ''] = await readSamples('yaml');
    const workflow: Workflow & { readonly on?: unknown } = parse(source);
    expect(workflow.on).to.have.property('schedule');
    await build('first');
    const { outputs } = await runStep({ to: 'docs' });
    const { pin: before } = await client.get(String(outputs.id));
    const withoutLink = contextOf('schedule', {});
    expect(await runWorkflow(workflow, withoutLink, job, workspace)).to.deep.equal([]);
    const context = { ...withoutLink, vars: { ...withoutLink.vars, PINFOLD_LINK: outputs['name-url'] } };
    const [renewed, ...more] = await runWorkflow(workflow, context, job, workspace);
    expect([renewed?.code, more.length], renewed?.err).to.deep.equal([0, 0]);
    const { pin: after } = await client.get(before.id);
    expect(Date.parse(String(after.expires_at))).to.be.above(Date.parse(String(before.expires_at)));
  });

  it('fails with one sentence if the publication of a repeated job was stopped', async () => {
    await build('first');
    const { publish, stop } = await readJobs();
    const project = {
      PINFOLD_URL: served.url,
      PINFOLD_KEY: served.key,
      CI_MERGE_REQUEST_IID: '7',
      CI_PIPELINE_ID: '1',
    };
    const sentence =
      /^pinfold: this was published before, and that publication was stopped: start a new run of the job to publish it again$/m;
    expect((await runJob('pinfold', publish, project, workspace)).code).to.equal(0);
    expect((await runJob('pinfold-stop', stop, project, workspace)).code).to.equal(0);
    const gitlab = await runJob('pinfold', publish, project, workspace);
    await runStep({ to: 'docs' });
    await runStep({ to: 'docs', close: true });
    const action = await runStep({ to: 'docs' });
    for (const { code, err } of [gitlab, action]) {
      expect([code, sentence.test(err)], err).to.deep.equal([1, true]);
      expect(err).not.to.include('TypeError');
    }
    expect(await listNames()).to.deep.equal([]);
  });

  it('publishes once in all attempts of a run', async () => {
    await build('first');
    const [first, again] = [
      await runStep({ to: 'docs' }),
      await runStep({ to: 'docs' }, { GITHUB_RUN_ATTEMPT: '2' }),
    ];
    expect(again.outputs).to.deep.equal({ ...first.outputs, replayed: 'true' });
    expect(first.outputs.id).to.match(/^[0-9a-f-]{36}$/);
    expect(Date.parse(String(first.outputs['expires-at']))).to.be.greaterThan(0);
  });

  it('protects a publication, and shows the secrets only to the runner', async () => {
    await build('first');
    const { code, out, err, outputs } = await runStep({ to: 'docs', password: SECRET });
    expect(code, err).to.equal(0);
    expect(out.split('\n').slice(0, 2)).to.deep.equal([
      `::add-mask::${served.key}`,
      '::add-mask::a password%0A100%25',
    ]);
    const rest = out.split('\n').slice(2).join('\n') + err;
    for (const secret of ['a password', served.key]) expect(rest).not.to.include(secret);
    expect((await client.get(String(outputs.id))).pin.password_protected).to.equal(true);
    await build('second');
    expect((await runStep({ to: 'docs' })).code).to.equal(1);
    expect((await runStep({ to: 'docs', 'no-password': true })).code).to.equal(0);
  });

  it('is strict, passes a title unchanged, and needs a valid name', async () => {
    await build('<img src="missing.png">');
    expect((await runStep({ strict: true })).code).to.equal(1);
    const title = `--"; touch 'x' $(touch y) \`touch z\``;
    const { outputs } = await runStep({ title });
    expect((await client.get(String(outputs.id))).pin.title).to.equal(title);
    expect(outputs['name-url']).to.equal('');
    expect((await runStep({ to: 'No name' })).code).to.equal(2);
    expect(
      (await runStep({ 'to-branch': true }, { GITHUB_EVENT_PATH: '', GITHUB_REF_TYPE: 'tag' })).code,
    ).to.equal(2);
  });

  it('updates only its own comment, on any page, of a person or an app', async () => {
    await build('first');
    const mark = '<!-- pinfold docs -->';
    for (let id = 1; id <= 150; id += 1)
      github.comments.push({ id, user: { login: 'stranger' }, body: mark });
    for (const login of ['github-actions[bot]', 'person']) {
      github.login = login;
      const before = github.comments.length;
      for (const run of ['1', '2'])
        expect((await runStep({ to: 'docs', comment: true }, { GITHUB_RUN_ID: run })).code).to.equal(0);
      expect(github.comments.slice(before).map(({ user }) => user.login)).to.deep.equal([login]);
    }
    expect(new Set(github.comments.slice(0, 150).map(({ body }) => body))).to.deep.equal(new Set([mark]));
    await writeFile(event, '{}');
    expect((await runStep({ to: 'docs', comment: true }, { GITHUB_REF_TYPE: 'branch' })).out).to.include(
      'not about a pull request',
    );
    await pullRequest('opened');
    const refused = await runStep({ to: 'docs', comment: true, 'github-token': 'wrong' });
    expect([refused.code, refused.err.includes('401')]).to.deep.equal([1, true]);
  });

  it('succeeds in closing a name that is already deleted', async () => {
    expect((await runStep({ close: true, to: 'docs' })).code).to.equal(0);
    expect((await runStep({ close: true })).code).to.equal(2);
    expect((await client.listPage()).pins).to.deep.equal([]);
  });

  it('runs the template of GitLab: an environment with the newest publication, which its stop job ends', async () => {
    const { publish, stop } = await readJobs();
    const project = { PINFOLD_URL: served.url, PINFOLD_KEY: served.key, CI_MERGE_REQUEST_IID: '7' };
    const [, sample = ''] = await readSamples('yaml');
    const { script } = parse(sample).build as { readonly script: readonly string[] };
    for (const [index, content] of ['first', 'second'].entries()) {
      await workspace.run(['sh', '-e'], script.join('\n'), { CONTENT: content });
      const run = {
        ...project,
        CI_PIPELINE_ID: String(index),
        SITE_PASSWORD: index === 0 ? '' : 'correct horse',
      };
      const { code, err } = await runJob('pinfold', publish, run, workspace);
      expect(code, err).to.equal(0);
      expect(err).not.to.include('correct horse');
      const env = await readFile(join(workspace.folder, publish.artifacts?.reports?.dotenv ?? ''), 'utf8');
      const { value: name } = await client.names.list().next();
      expect(env).to.equal(`SITE_URL=${name?.url}\n`);
      expect((await client.get(String(name?.pin))).pin.password_protected).to.equal(index === 1);
    }
    expect(await listNames()).to.deep.equal(['pr-7']);
    expect(publish.environment?.url).to.equal('$SITE_URL');
    expect([publish.environment?.on_stop, stop.environment?.action]).to.deep.equal(['pinfold-stop', 'stop']);
    expect([stop.environment?.name, stop.resource_group]).to.deep.equal([
      publish.environment?.name,
      publish.resource_group,
    ]);
    for (const _ of ['once', 'again']) {
      const { code, err } = await runJob('pinfold-stop', stop, project, workspace);
      expect(code, err).to.equal(0);
      expect(await listNames()).to.deep.equal([]);
      expect((await client.listPage({ state: 'published' })).pins).to.deep.equal([]);
    }
  });

  it('adds no variable of a server to the report of GitLab', async () => {
    const { publish } = await readJobs();
    await build('first');
    for (const end of ['\n', '\r']) {
      const url = `http://share.example/n/a-b${end}NODE_OPTIONS=--require=/builds/evil.js`;
      const hostile = await serveNameUrl(url);
      const project = { PINFOLD_URL: hostile.url, PINFOLD_KEY: served.key, CI_MERGE_REQUEST_IID: '7' };
      const { code, err } = await runJob('pinfold', publish, project, workspace);
      expect(code, err).to.equal(0);
      const env = await readFile(join(workspace.folder, publish.artifacts?.reports?.dotenv ?? ''), 'utf8');
      expect(env.trimEnd()).to.match(/^SITE_URL=http:\/\/share\.example\/n\/a-b[!-~]+$/);
    }
  });

  it('runs the shell lines of the guide', async () => {
    await build('first');
    const server = { PINFOLD_URL: served.url, PINFOLD_KEY: served.key, SITE_PASSWORD: 'correct horse' };
    const [publish = '', remove = '', protect = ''] = await readSamples('sh');
    for (const line of [publish, protect]) {
      const { code, err } = await workspace.run(['sh', '-e'], line, server);
      expect(code, err).to.equal(0);
      expect(await listNames()).to.deep.equal(['docs']);
    }
    const { pin, name } = JSON.parse(await readFile(join(workspace.folder, 'published.json'), 'utf8'));
    expect([typeof pin.shared_url, name.name]).to.deep.equal(['string', 'docs']);
    expect((await workspace.run(['sh', '-e'], remove, server)).code).to.equal(0);
    expect(await listNames()).to.deep.equal([]);
  });
});
