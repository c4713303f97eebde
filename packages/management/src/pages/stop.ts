import { parseRoleId } from '@pinfold/core';
import { html } from '@pinfold/http/internal';
import { type ShownPublication, shownPublication } from '../publication.ts';
import { askToSignIn } from '../request/middleware.ts';
import { refuseRevocation } from '../request/rates.ts';
import { fieldsOf, type SignedInContext } from '../request/request-context.ts';
import { type Answer, page, seeOther } from '../response/answer.ts';
import { notFound } from '../response/refuse.ts';
import { stopMeans } from '../views/detail-cards.ts';
import { disabledInReadOnly, form, hidden } from '../views/forms.ts';
import { layout } from '../views/layout.ts';
import { pathOf, readOwn, refusal } from './publication.ts';

/** As many as a page of the list has. */
const MOST_SELECTED = 20;

export async function askToStop(visit: SignedInContext): Promise<Answer> {
  const found = await readOwn(visit);
  if (found === undefined) return notFound(visit);
  const path = pathOf(visit, found.id);
  const publication = shownPublication(found, visit);
  return publication.refusal('stop') === undefined
    ? stopPage(visit, [publication], path, `${path}/stop`)
    : seeOther(path, refusal('deleted', 'didStop'));
}

export async function askToStopSelected(visit: SignedInContext): Promise<Answer> {
  const { base, request } = visit;
  const publications = await selected(visit, [request.query.id].flat());
  return publications.length === 0
    ? seeOther(`${base}/`, { tone: 'bad', message: 'nothingSelected' })
    : stopPage(visit, publications, `${base}/`, `${base}/stop`);
}

/** Stops the selected publications; each counts as a request of its own. */
export async function stopSelected(visit: SignedInContext): Promise<Answer> {
  const { account: by, cause, credential, signal, screen } = visit;
  let count = 0;
  for (const { id } of await selected(visit, fieldsOf(visit, 'id'))) {
    const limited = count === 0 ? undefined : refuseRevocation(visit);
    if (limited !== undefined) return limited;
    const outcome = await screen.useCases.stop({ by, id, cause, credential, signal });
    if (outcome.kind === 'changed') count += 1;
    else if (outcome.code === 'unauthorized') return askToSignIn(visit);
  }
  return seeOther(`${visit.base}/`, { tone: 'good', message: 'didStopSeveral', values: { count } });
}

async function selected(
  visit: SignedInContext,
  ids: readonly unknown[],
): Promise<readonly ShownPublication[]> {
  const { account: by, signal, screen } = visit;
  const known = new Set(ids.map((id) => parseRoleId(String(id))).filter((id) => id !== undefined));
  const found: ShownPublication[] = [];
  for (const id of [...known].slice(0, MOST_SELECTED)) {
    const outcome = await screen.useCases.read({ by, id, signal });
    if (outcome.kind === 'found') found.push(shownPublication(outcome.publication, visit));
  }
  return found.filter((publication) => publication.refusal('stop') === undefined);
}

/** Asks for confirmation before publications are stopped. Scripts show the section as a dialog. */
function stopPage(
  visit: SignedInContext,
  publications: readonly ShownPublication[],
  back: string,
  action: string,
): Answer {
  const { words } = visit;
  const count = publications.length;
  const title = words.say('stopTitle', { count });
  const isProtected = publications.some(({ passwordProtected }) => passwordProtected);
  const stop = html`${publications.map(({ id }) => hidden('id', id))}<button class="danger"${disabledInReadOnly(visit)}>${words.say(count === 1 ? 'stop' : 'stopSeveral')}</button>`;
  const main = html`<section class="card narrow" data-dialog-body>
<h1 id="dialog-title">${title}</h1>
<ul class="paths">${publications.map(({ name }) => html`<li dir="auto">${name}</li>`)}</ul>
<p>${stopMeans(visit, publications)}</p>
${isProtected && html`<p class="quiet">${words.say('stopProtected')}</p>`}
<div class="buttons end"><a class="button" href="${back}" data-close>${words.say('keepIt', { count })}</a>
${form(visit, action, stop)}</div>
</section>`;
  return page(layout(visit, { title, signedIn: visit, main }));
}
