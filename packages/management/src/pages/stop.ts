import { parseRoleId } from '@pinfold/core';
import { html } from '@pinfold/http/internal';
import { pathOf, type ShownPublication, shownPublication, shownPublications } from '../publication.ts';
import { askToSignIn } from '../request/middleware.ts';
import { checkRevocationRate } from '../request/rates.ts';
import { fieldsOf, type SignedInContext } from '../request/request-context.ts';
import { type Answer, page, seeOther } from '../response/answer.ts';
import { notFound } from '../response/refuse.ts';
import { stopMeans } from '../views/detail-cards.ts';
import { disabledInReadOnly, form, hidden } from '../views/forms.ts';
import { layout } from '../views/layout.ts';
import { readOwn, refusalFlash } from './publication.ts';

/** As many as the list shows on a page. */
const MAX_SELECTED = 20;

const NOTHING_STOPPED = { tone: 'bad', message: 'nothingStopped' } as const;

export async function askToStop(context: SignedInContext): Promise<Answer> {
  const found = await readOwn(context);
  if (found === undefined) return notFound(context);
  const path = pathOf(context, found.id);
  const publication = shownPublication(found, context);
  return publication.refusal('stop') === undefined
    ? stopPage(context, [publication], path, `${path}/stop`)
    : seeOther(path, refusalFlash('deleted', 'didStop'));
}

export async function askToStopSelected(context: SignedInContext): Promise<Answer> {
  const { base, query } = context;
  const publications = await loadStoppable(context, [query.id].flat());
  return publications.length === 0
    ? seeOther(`${base}/`, NOTHING_STOPPED)
    : stopPage(context, publications, `${base}/`, `${base}/stop`);
}

/** Stops the selected publications; each one counts as a request. */
export async function stopSelected(context: SignedInContext): Promise<Answer> {
  const { account: by, cause, credential, signal, screen } = context;
  let count = 0;
  for (const { id } of await loadStoppable(context, fieldsOf(context, 'id'))) {
    // A stop counts as a request that ends access, like a revocation. The route's guard has counted the first one.
    const limited = count === 0 ? undefined : checkRevocationRate(context);
    if (limited !== undefined) return limited;
    const outcome = await screen.useCases.stop({ by, id, cause, credential, signal });
    if (outcome.kind === 'changed') count += 1;
    else if (outcome.code === 'unauthorized') return askToSignIn(context);
  }
  const done = { tone: 'good', message: 'didStopSeveral', values: { count } } as const;
  return seeOther(`${context.base}/`, count === 0 ? NOTHING_STOPPED : done);
}

async function loadStoppable(
  context: SignedInContext,
  ids: readonly unknown[],
): Promise<readonly ShownPublication[]> {
  const known = new Set(ids.flatMap((id) => parseRoleId(String(id)) ?? []));
  const found = await shownPublications(context, [...known].slice(0, MAX_SELECTED));
  return [...found.values()].filter((publication) => publication.refusal('stop') === undefined);
}

/** Asks for confirmation before publications are stopped. The script shows the section as a dialog. */
function stopPage(
  context: SignedInContext,
  publications: readonly ShownPublication[],
  back: string,
  action: string,
): Answer {
  const { messages } = context;
  const count = publications.length;
  const title = messages.text('stopTitle', { count });
  const isProtected = publications.some(({ passwordProtected }) => passwordProtected);
  const stop = html`${publications.map(({ id }) => hidden('id', id))}<button class="danger"${disabledInReadOnly(context)}>${messages.text(count === 1 ? 'stop' : 'stopSeveral')}</button>`;
  const main = html`<section class="card narrow" data-dialog-body>
<h1 id="dialog-title">${title}</h1>
<ul class="paths">${publications.map(({ name }) => html`<li dir="auto">${name}</li>`)}</ul>
<p>${stopMeans(context, publications)}</p>
${isProtected && html`<p class="quiet">${messages.text('stopProtected')}</p>`}
<div class="buttons end"><a class="button" href="${back}" data-close>${messages.text('keepIt', { count })}</a>
${form(context, action, stop)}</div>
</section>`;
  return page(layout(context, { title, main }));
}
