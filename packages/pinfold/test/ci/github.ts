import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { json } from 'node:stream/consumers';
import { runInNewContext } from 'node:vm';
import { parse } from 'yaml';
import type { CommandRun } from '../command-run.ts';
import { newFolder } from '../servers/new-folder.ts';
import { type Stub, startStub } from '../servers/stub.ts';
import type { Env, Workspace } from './shell.ts';

const ACTION = join(import.meta.dirname, '..', '..', '..', '..', 'deploy', 'github-action');
/** Started like a runner does. */
const BASH = ['bash', '--noprofile', '--norc', '-eo', 'pipefail'] as const;

interface Step {
  readonly id?: string;
  readonly if?: string;
  readonly uses?: string;
  readonly run?: string;
  readonly env?: Env;
  readonly with?: Readonly<Record<string, string | boolean>>;
}

export interface Workflow {
  readonly concurrency: { readonly group: string };
  readonly jobs: Readonly<Record<string, WorkflowJob>>;
}

interface WorkflowJob {
  readonly if?: string;
  readonly environment?: { readonly name: string; readonly url: string };
  readonly steps: readonly Step[];
}

interface Action {
  readonly inputs: Readonly<Record<string, { readonly default?: string }>>;
  readonly outputs: Readonly<Record<string, { readonly value: string }>>;
  readonly runs: { readonly using: string; readonly steps: readonly Step[] };
}

/** The values that expressions read, such as `github.event.number`. */
export type Context = Readonly<Record<string, unknown>>;

/** The output of the steps of an action or a job, with the outputs of the action. */
export interface RunResult extends CommandRun {
  readonly outputs: Env;
}

/** Evaluates an expression; a missing value is an empty string. */
export function evaluate(expression: string, context: Context): unknown {
  const source = expression.replaceAll(/'[^']*'|[a-z]\w*(?:\.[\w-]+)+/g, (part) =>
    part.startsWith("'") ? part : JSON.stringify(valueAt(part, context)),
  );
  return runInNewContext(source);
}

function valueAt(path: string, context: Context): unknown {
  let value: unknown = context;
  for (const member of path.split('.')) value = (value as Context | undefined)?.[member];
  return value ?? '';
}

export function interpolate(text: string, context: Context): string {
  return text.replaceAll(/\$\{\{(.*?)\}\}/g, (_, expression: string) => `${evaluate(expression, context)}`);
}

function interpolateAll(values: Readonly<Record<string, unknown>>, context: Context): Record<string, string> {
  return Object.fromEntries(
    Object.entries(values).map(([name, value]) => [name, interpolate(String(value), context)]),
  );
}

export async function readAction(): Promise<Action> {
  return parse(await readFile(join(ACTION, 'action.yml'), 'utf8'));
}

/** Runs the composite action as a runner does, with the variables of its job. */
export async function runAction(
  inputs: Readonly<Record<string, unknown>>,
  context: Context,
  env: Env,
  workspace: Workspace,
): Promise<RunResult> {
  const action = await readAction();
  const defaults = Object.entries(action.inputs).map(([name, input]) => [name, input.default ?? '']);
  const values = {
    ...interpolateAll(Object.fromEntries(defaults), context),
    ...interpolateAll(inputs, context),
  };
  const steps: Record<string, { readonly outputs: Env }> = {};
  const actionContext = { ...context, inputs: values, steps };
  const total = { code: 0, out: '', err: '' };
  for (const step of action.runs.steps) {
    if (step.if !== undefined && !evaluate(step.if, actionContext)) continue;
    const output = join(newFolder(), 'output');
    await writeFile(output, '');
    const stepVariables = {
      GITHUB_OUTPUT: output,
      GITHUB_ACTION_PATH: ACTION,
      ...interpolateAll(step.env ?? {}, actionContext),
    };
    const { code, out, err } = await workspace.run(BASH, step.run ?? '', { ...env, ...stepVariables });
    if (step.id !== undefined) steps[step.id] = { outputs: parseOutputs(await readFile(output, 'utf8')) };
    Object.assign(total, { code, out: total.out + out, err: total.err + err });
    if (code !== 0) break;
  }
  const outputs = Object.entries(action.outputs).map(([name, { value }]) => [name, value]);
  return { ...total, outputs: interpolateAll(Object.fromEntries(outputs), actionContext) };
}

function parseOutputs(file: string): Env {
  const lines = file.split('\n').filter((line) => line !== '');
  return Object.fromEntries(lines.map((line) => line.split(/=(.*)/s, 2)));
}

/** Runs the jobs of a workflow whose condition is true, with the variables of the event. */
export async function runWorkflow(
  { jobs }: Workflow,
  context: Context,
  env: Env,
  workspace: Workspace,
): Promise<readonly RunResult[]> {
  const results: RunResult[] = [];
  for (const [name, job] of Object.entries(jobs)) {
    if (job.if !== undefined && !evaluate(job.if, context)) continue;
    for (const step of job.steps) {
      const jobVariables = { ...env, GITHUB_JOB: name };
      const variables = { ...jobVariables, ...interpolateAll(step.env ?? {}, context) };
      if (step.run !== undefined)
        results.push({ ...(await workspace.run(BASH, step.run, variables)), outputs: {} });
      else if (step.uses?.startsWith('example/pinfold/deploy/github-action@v'))
        results.push(await runAction(step.with ?? {}, context, jobVariables, workspace));
    }
  }
  return results;
}

/** A comment in the API of GitHub. */
export interface Comment {
  readonly id: number;
  readonly user: { readonly login: string };
  body: string;
}

/** The part of GitHub's API that the action uses: comments of pull request 12 of example/site. */
export class GitHubApi {
  readonly comments: Comment[] = [];
  /** The author by the token; only GraphQL returns the login of a job's app. */
  login = 'github-actions[bot]';

  listen(): Promise<Stub> {
    return startStub(async (request, response) => {
      const target = new URL(request.url ?? '', 'http://x');
      const body = request.method === 'GET' ? {} : ((await json(request)) as { readonly body: string });
      const isKnown = request.headers.authorization === 'Bearer the-token';
      const [status, answer] = isKnown
        ? this.#answer(`${request.method} ${target.pathname}`, target, body)
        : [401, {}];
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(answer));
    });
  }

  #answer(call: string, target: URL, body: { readonly body?: string }): readonly [number, unknown] {
    const isApp = this.login.endsWith('[bot]');
    if (call === 'GET /user') return isApp ? [403, {}] : [200, { login: this.login }];
    if (call === 'POST /graphql')
      return [200, { data: { viewer: { login: this.login.replace('[bot]', '') } } }];
    if (call === 'GET /repos/example/site/issues/12/comments') {
      const [size, page] = ['per_page', 'page'].map((name) => Number(target.searchParams.get(name)));
      return [200, this.comments.slice((Number(page) - 1) * Number(size), Number(page) * Number(size))];
    }
    if (call === 'POST /repos/example/site/issues/12/comments') {
      this.comments.push({
        id: this.comments.length + 1,
        user: { login: this.login },
        body: body.body ?? '',
      });
      return [201, {}];
    }
    const id = /^PATCH \/repos\/example\/site\/issues\/comments\/(\d+)$/.exec(call)?.[1];
    const found = this.comments.find((comment) => comment.id === Number(id));
    if (found === undefined) return [404, {}];
    found.body = body.body ?? '';
    return [200, {}];
  }
}
