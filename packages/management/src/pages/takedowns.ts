import { parseSha256 } from '@pinfold/core/internal';
import { html } from '@pinfold/http/internal';
import { pageRequest } from '../request/page-request.ts';
import type { SignedIn } from '../request/request-context.ts';
import { type Answer, page, seeOther } from '../response/answer.ts';
import { notFound } from '../response/refuse.ts';
import { accountLink, administrationPage } from '../views/administration.ts';
import { confirmation } from '../views/forms.ts';
import { heading, moment, shortId } from '../views/parts.ts';
import { listOf } from '../views/tables.ts';

const PATH = '/administration/takedowns';

export async function showTakedowns(context: SignedIn<'administration'>): Promise<Answer> {
  const { base, messages } = context;
  const listed = await context.screen.administration.listTakedowns(pageRequest(context));
  if (listed.kind === 'refused') return seeOther(base + PATH);
  const main = html`${heading(messages.text('takedowns'))}
${listOf(context, {
  items: listed.takedowns,
  none: 'bansNone',
  path: PATH,
  next: listed.next,
  columns: [
    [
      'publication',
      ({ id, sha256 }) =>
        html`<a class="name" href="${base}/administration/publications/${id}">${shortId(id)}</a><span class="marks"><code class="quiet" title="${sha256}">SHA-256 ${sha256.slice(0, 12)}…</code></span>`,
    ],
    ['account', ({ account }) => accountLink(context, account)],
    ['reason', ({ reason }) => html`<span dir="auto">${reason}</span>`],
    ['historyWhen', ({ at }) => moment(context, at)],
    ['actions', ({ sha256: id }) => confirmation(context, 'lift', `lift-${id}`, `${base}${PATH}/${id}/lift`)],
  ],
})}`;
  return page(administrationPage(context, 'takedowns', main));
}

export async function lift(context: SignedIn<'administration'>): Promise<Answer> {
  const { request, cause, screen } = context;
  const sha256 = parseSha256(String(request.params.sha256));
  const lifted = sha256 && (await screen.administration.liftTakedown(sha256, cause));
  if (lifted?.kind !== 'lifted') return notFound(context);
  return seeOther(context.base + PATH, { tone: 'good', message: 'didLift' });
}
