import type { DayOfViews } from '@pinfold/core';
import { dayOf } from '@pinfold/core/internal';
import { type Html, html } from '@pinfold/http/internal';
import type { ShownPublication } from '../publication.ts';
import type { SignedInContext } from '../request/request-context.ts';
import { card } from './parts.ts';

const SHOWN_DAYS = 7;
const CHART_DAYS = 30;
const CHART_HEIGHT = 64;
const BAR_WIDTH = 10;

export function viewsCard(
  context: SignedInContext,
  publication: ShownPublication,
  days: readonly DayOfViews[],
): Html {
  const { messages } = context;
  if (days.length === 0) {
    return card(context, 'views', html`<p>${messages.text('viewsNone')}</p>${viewsMeaning(context)}`);
  }
  const refused = sum(days, ({ refusedPasswords }) => refusedPasswords);
  const withRefused = publication.passwordProtected || refused > 0;
  const refusedTotal = withRefused
    ? html`<p>${messages.text('viewsRefusedTotal', { count: refused })}</p>`
    : undefined;
  const table = tableOf(context, days, withRefused);
  const content = html`<p class="big">${messages.text('viewsTotal', { count: sum(days, ({ views }) => views) })}</p>${refusedTotal}
${chart(context, days)}
${days.length <= SHOWN_DAYS ? table : html`<details><summary>${messages.text('viewsByDay')}</summary>${table}</details>`}
${viewsMeaning(context)}`;
  return card(context, 'views', content);
}

/** A bar for each of the last 30 days, today on the right. The table has the same numbers. */
function chart({ messages, now }: SignedInContext, days: readonly DayOfViews[]): Html {
  const today = dayOf(now);
  const maxViews = Math.max(1, ...days.map(({ views }) => views));
  const bars = days
    .filter(({ views }) => views > 0)
    .map(({ day, views }) => {
      const height = Math.max(1, Math.round((views / maxViews) * CHART_HEIGHT));
      const x = (CHART_DAYS - 1 - (today - day)) * BAR_WIDTH;
      return html`<rect x="${x}" y="${CHART_HEIGHT - height}" width="${BAR_WIDTH - 2}" height="${height}"><title>${messages.day(day)}: ${messages.number(views)}</title></rect>`;
    });
  return html`<svg class="chart" viewBox="0 0 ${CHART_DAYS * BAR_WIDTH} ${CHART_HEIGHT}" preserveAspectRatio="none" role="img" aria-label="${messages.text('viewsChart')}">${bars}</svg>`;
}

function viewsMeaning({ messages }: SignedInContext): Html {
  return html`<p class="quiet">${messages.text('viewsMeans')}</p>`;
}

function sum(days: readonly DayOfViews[], of: (day: DayOfViews) => number): number {
  return days.reduce((total, day) => total + of(day), 0);
}

function tableOf({ messages }: SignedInContext, days: readonly DayOfViews[], withRefused: boolean): Html {
  const numberHead = (text: string): Html => html`<th scope="col" class="number">${text}</th>`;
  const numberCell = (value: number): Html => html`<td class="number">${messages.number(value)}</td>`;
  const rows = days.map(
    ({ day, views, refusedPasswords }) =>
      html`<tr><th scope="row">${messages.day(day)}</th>${numberCell(views)}${withRefused ? numberCell(refusedPasswords) : undefined}</tr>`,
  );
  return html`<table class="files days">
<thead><tr><th scope="col">${messages.text('viewsDay')}</th>${numberHead(messages.text('views'))}${withRefused ? numberHead(messages.text('viewsRefused')) : undefined}</tr></thead>
<tbody>${rows}</tbody></table>`;
}
