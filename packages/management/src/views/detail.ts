import type { DayOfViews, Limits } from '@pinfold/core';
import { type Html, html } from '@pinfold/http/internal';
import type { ShownPublication } from '../publication.ts';
import type { SignedInContext } from '../request/request-context.ts';
import { factsCard, lifetimeCard, linkCard, stopCard } from './detail-cards.ts';
import { passwordCard, titleCard } from './detail-forms.ts';
import { historyCard } from './history.ts';
import { icon } from './icons.ts';
import { layout } from './layout.ts';
import { nameCard, type ShowingNames } from './names.ts';
import { marks, stateBadge } from './parts.ts';
import { viewsCard } from './views.ts';

export interface FieldTrouble {
  readonly field: 'title' | 'password';
  readonly message: string;
  /** Shown again; never of a password. */
  readonly value?: string;
}

export interface DetailModel {
  readonly publication: ShownPublication;
  readonly limits: Limits;
  readonly files: Html;
  readonly names: ShowingNames;
  readonly trouble: FieldTrouble | undefined;
  /** The latest of what happened to it; absent where no history is shown. */
  readonly history: Parameters<typeof historyCard>[2] | undefined;
  /** How often it was viewed on each of the last days; absent where that is not shown. */
  readonly views: readonly DayOfViews[] | undefined;
}

export function detailView(visit: SignedInContext, model: DetailModel): Html {
  const { words, base } = visit;
  const { publication, trouble, limits } = model;
  return layout(visit, {
    title: publication.name,
    signedIn: visit,
    main: html`<p class="back"><a href="${base}/">${words.say('backToList')}</a></p>
${
  trouble === undefined
    ? undefined
    : html`<div class="said bad" role="alert">${icon('bad')}<p><a href="#${trouble.field}-field">${trouble.message}</a></p></div>`
}
<div class="head"><h1 dir="auto">${publication.name}</h1><p class="head-state">${stateBadge(visit, publication)}${marks(visit, publication)}</p></div>
<div class="columns"><div class="stack">
${linkCard(visit, publication)}
${lifetimeCard(visit, publication, limits)}
${passwordCard(visit, model)}
${titleCard(visit, model)}
${visit.offers.names && publication.state === 'published' ? nameCard(visit, publication.id, model.names) : undefined}
${stopCard(visit, publication)}
</div><div class="stack">
${factsCard(visit, publication)}
${model.views === undefined ? undefined : viewsCard(visit, publication, model.views)}
${model.history === undefined ? undefined : historyCard(visit, publication.id, model.history)}
${model.files}
</div></div>`,
  });
}
