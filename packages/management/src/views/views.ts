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
  visit: SignedInContext,
  publication: ShownPublication,
  days: readonly DayOfViews[],
): Html {
  const { words } = visit;
  if (days.length === 0) {
    return card(visit, 'views', html`<p>${words.say('viewsNone')}</p>${means(visit)}`);
  }
  const refused = sum(days, ({ refusedPasswords }) => refusedPasswords);
  const withRefused = publication.passwordProtected || refused > 0;
  const refusedTotal = withRefused
    ? html`<p>${words.say('viewsRefusedTotal', { count: refused })}</p>`
    : undefined;
  const table = tableOf(visit, days, withRefused);
  const content = html`<p class="big">${words.say('viewsTotal', { count: sum(days, ({ views }) => views) })}</p>${refusedTotal}
${chart(visit, days)}
${days.length <= SHOWN_DAYS ? table : html`<details><summary>${words.say('viewsByDay')}</summary>${table}</details>`}
${means(visit)}`;
  return card(visit, 'views', content);
}

/** A bar for each of the last 30 days, today on the right. The table has the same figures. */
function chart({ words, now }: SignedInContext, days: readonly DayOfViews[]): Html {
  const today = dayOf(now);
  const most = Math.max(1, ...days.map(({ views }) => views));
  const bars = days
    .filter(({ views }) => views > 0)
    .map(({ day, views }) => {
      const height = Math.max(1, Math.round((views / most) * CHART_HEIGHT));
      const x = (CHART_DAYS - 1 - (today - day)) * BAR_WIDTH;
      return html`<rect x="${x}" y="${CHART_HEIGHT - height}" width="${BAR_WIDTH - 2}" height="${height}"><title>${words.day(day)}: ${words.number(views)}</title></rect>`;
    });
  return html`<svg class="chart" viewBox="0 0 ${CHART_DAYS * BAR_WIDTH} ${CHART_HEIGHT}" preserveAspectRatio="none" role="img" aria-label="${words.say('viewsChart')}">${bars}</svg>`;
}

function means({ words }: SignedInContext): Html {
  return html`<p class="quiet">${words.say('viewsMeans')}</p>`;
}

function sum(days: readonly DayOfViews[], of: (day: DayOfViews) => number): number {
  return days.reduce((total, day) => total + of(day), 0);
}

function tableOf({ words }: SignedInContext, days: readonly DayOfViews[], withRefused: boolean): Html {
  const figureHead = (text: string): Html => html`<th scope="col" class="figure">${text}</th>`;
  const figure = (value: number): Html => html`<td class="figure">${words.number(value)}</td>`;
  const rows = days.map(
    ({ day, views, refusedPasswords }) =>
      html`<tr><th scope="row">${words.day(day)}</th>${figure(views)}${withRefused ? figure(refusedPasswords) : undefined}</tr>`,
  );
  return html`<table class="files days">
<thead><tr><th scope="col">${words.say('viewsDay')}</th>${figureHead(words.say('views'))}${withRefused ? figureHead(words.say('viewsRefused')) : undefined}</tr></thead>
<tbody>${rows}</tbody></table>`;
}
