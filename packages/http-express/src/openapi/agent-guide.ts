import type { Limits } from '@pinfold/core';
import type { PublicUrl } from '@pinfold/http';
import type { SignIn } from '../sign-in.ts';

const MiB = 1_048_576;
const DAY = 86_400_000;

/** The guide for agents that publish, in plain text (llmstxt.org), which `GET /llms.txt` answers. */
export function agentGuide(url: PublicUrl, limits: Limits, signIn: SignIn | undefined): string {
  const [example, authentication] =
    signIn === undefined
      ? [
          ' -H "Authorization: Bearer $PINFOLD_KEY"',
          'Send an API key as `Authorization: Bearer KEY`. Ask the person for one with the scopes pins:read and pins:write. Never put it into a site, an address or a log.',
        ]
      : ['', signIn.detail];
  return `# Pinfold at ${url}

> Takes a ZIP of a static site, checks it, and gives back an unlisted URL that shows it.

The whole API, with every error: ${url}/openapi.json (OpenAPI 3.1).

## Authentication

${authentication}

## Publish

POST ${url}/api/v1/pins as multipart/form-data:

- \`archive\`: the ZIP, a file with its name; required.
- \`title\`: at most ${limits.titleCharacters} characters; for the owner's list only.
- Header \`Idempotency-Key\`: required, at most ${limits.idempotencyKeyCharacters} printable ASCII characters. A new one for each publication; the same one when you repeat a request whose answer was lost.
- Header \`Pinfold-Password\`: optional; viewers have to enter it. At least ${limits.passwordMinCharacters} characters, at most ${limits.passwordMaxBytes} bytes.

    curl -sS ${url}/api/v1/pins${example} -H "Idempotency-Key: $(date +%s%N)" -F "archive=@site.zip;type=application/zip" -F "title=Report"

201, or 200 for a key that was used before: give \`pin.shared_url\` to the person, tell them \`pin.expires_at\`, and pass on every entry of \`warnings\`. Add \`?dry_run=true\` to check without storing anything.

## The archive

- \`index.html\`, in lower case, at the root or in the only folder at the top.
- At most ${bytes(limits.archiveBytes)} as a ZIP, ${bytes(limits.expandedBytes)} unpacked, ${limits.files} files, ${bytes(limits.fileBytes)} for one file.
- Build first, and pack the output folder: no source, node_modules, .git, .env or other secrets. Anyone who has the URL can read every file.
- Refer to files by relative paths (\`app.js\`, not \`/app.js\`).

## Afterwards

- The content of a publication never changes. For a new version, publish again. For a link that stays the same, add \`?name=NAME\` (\`a\` to \`z\`, \`0\` to \`9\`, \`-\`) each time, and give the person \`name.url\`.
- It expires after ${limits.lifetime / DAY} days unless it is pinned in the management screen: PATCH ${url}/api/v1/pins/{id} with the JSON {"reset_expiration": true} (Content-Type: application/json) restarts the time. {"title": …} and {"password": …} change these, null removes them.
- DELETE ${url}/api/v1/pins/{id} stops it at once. Ask the person before.
- GET ${url}/api/v1/pins lists publications, and GET ${url}/api/v1/limits returns the account's limits.

## Errors

application/problem+json. \`detail\` says what to do, \`errors\` lists each broken rule with its path, \`suggestion\` says whether to keep the Idempotency-Key. Repeat the same request only if \`retryable\` is true, after the seconds in Retry-After.
`;
}

function bytes(count: number): string {
  return count % MiB === 0 ? `${count / MiB} MiB` : `${count} bytes`;
}
