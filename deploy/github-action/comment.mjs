// Writes the link of a publication as a comment on the pull request, or updates the one that it wrote before.
import { readFileSync } from 'node:fs';

const { env } = process;
const API = env.GITHUB_API_URL ?? 'https://api.github.com';
const TIMEOUT_MS = 30_000;
const PAGE_SIZE = 100;
/** Invisible; several steps of a job write a comment each, if their names differ. */
const MARK = `<!-- pinfold ${(env.TO ?? '').replaceAll(/[^a-z0-9-]/g, '')} -->`;

const { number, pull_request: pullRequest } = JSON.parse(readFileSync(env.GITHUB_EVENT_PATH, 'utf8'));
if (Number.isSafeInteger(number)) await comment(number);
else console.log('This job is not about a pull request: there is nothing to comment on.');

async function comment(issue) {
  const body = { body: textOf() };
  const comments = `/repos/${env.GITHUB_REPOSITORY}/issues/${issue}/comments`;
  const own = await findOwn(comments);
  if (own === undefined) await call('POST', comments, body);
  else await call('PATCH', `/repos/${env.GITHUB_REPOSITORY}/issues/comments/${own.id}`, body);
}

/** The comment with the mark that the token's own user wrote; anyone may write the mark. */
async function findOwn(comments) {
  const login = await ownLogin();
  for (let page = 1; ; page += 1) {
    const found = await call('GET', `${comments}?per_page=${PAGE_SIZE}&page=${page}`);
    const own = found.find(({ body, user }) => body?.startsWith(MARK) && isOwn(user?.login, login));
    if (own !== undefined || found.length < PAGE_SIZE) return own;
  }
}

/** The token of an app, such as the one of a job, may not read its user by REST. */
async function ownLogin() {
  const user = await call('GET', '/user', undefined, [401, 403, 404]);
  if (user !== undefined) return user.login;
  const graphql = env.GITHUB_GRAPHQL_URL ?? `${API}/graphql`;
  const { data } = await call('POST', graphql, { query: '{ viewer { login } }' });
  return data.viewer.login;
}

/** GraphQL writes an app's login without the ending, which no person's login can have. */
function isOwn(login, own) {
  return login === own || login === `${own}[bot]`;
}

function textOf() {
  const { URL: url, NAME_URL: nameUrl, EXPIRES_AT: expiresAt } = env;
  const commit = String(pullRequest?.head?.sha ?? '').replaceAll(/[^0-9a-f]/g, '');
  return [
    MARK,
    ...(nameUrl ? [`**Newest publication**: ${link(nameUrl)}`, ''] : []),
    `${commit === '' ? 'Published' : `Of commit ${commit}`}: ${link(url)}`,
    ...(expiresAt ? ['', `It expires ${new Date(expiresAt).toUTCString()}.`] : []),
  ].join('\n');
}

function link(text) {
  const { protocol, href } = new URL(text);
  if (!/^https?:$/.test(protocol)) throw new TypeError('the link is not an address of the web');
  return `<${href.replaceAll(/[<>\s]/g, encodeURIComponent)}>`;
}

async function call(method, path, body, unanswered = []) {
  const response = await fetch(path.startsWith('/') ? `${API}${path}` : path, {
    method,
    headers: {
      accept: 'application/vnd.github+json',
      authorization: `Bearer ${env.GITHUB_TOKEN}`,
      ...(body && { 'content-type': 'application/json' }),
    },
    ...(body && { body: JSON.stringify(body) }),
    redirect: 'error',
    signal: AbortSignal.timeout(TIMEOUT_MS),
  });
  if (response.ok) return response.json();
  if (unanswered.includes(response.status)) return undefined;
  console.error(`::error::GitHub answered ${response.status} to ${method} ${path}`);
  if (response.status === 403) console.error('The job needs "permissions: pull-requests: write".');
  process.exit(1);
}
