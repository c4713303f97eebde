import { randomUUID } from 'node:crypto';
import type { Limits } from '@pinfold/core';
import { type Html, html } from '@pinfold/http/internal';
import { ownerMark } from '../request/form-guard.ts';
import type { SignedInContext } from '../request/request-context.ts';
import { field, form, hidden, READ_ONLY_ID } from './forms.ts';
import { icon } from './icons.ts';
import { nameField } from './name-field.ts';

export interface PublishTrouble {
  readonly summary: string;
  readonly problems?: Html | undefined;
}

export interface PublishPanel {
  readonly limits: Limits;
  readonly allowance: string;
  readonly trouble: PublishTrouble | undefined;
}

/** The area to drop or choose a folder, a ZIP or a page; without scripts, a form for a ZIP. `isRoomy` makes it large. */
export function publishPanel(
  visit: SignedInContext,
  { limits, allowance, trouble }: PublishPanel,
  isRoomy: boolean,
): Html {
  const { words, base, account, formToken, mode, screen } = visit;
  if (mode.kind === 'read_only') return maintenancePanel(visit);
  const { archiveBytes, expandedBytes, files, fileBytes } = limits;
  const { publish, worker } = screen.assets.names;
  const owner = ownerMark(visit.secret, account);
  const data = { owner, token: formToken.masked, limits: { archiveBytes, expandedBytes, files, fileBytes } };
  return html`<section class="publish${isRoomy ? ' roomy' : ''}" aria-labelledby="publish-title" data-publish="${JSON.stringify(data)}" data-action="${base}/publish" data-script="${base}/assets/${publish}" data-worker="${base}/assets/${worker}">
<div class="drop" data-drop>
${isRoomy && html`<div class="drop-sign">${icon('folder')}</div>`}
<div class="drop-text"><h2 id="publish-title"><span class="scripted">${words.say('publishTitle')}</span><span class="unscripted">${words.say('publishZip')}</span></h2></div>
<div class="drop-buttons scripted">
<button type="button" class="primary" data-choose="folder">${icon('folder')}${words.say('chooseFolder')}</button>
<button type="button" data-choose="archive">${icon('archive')}${words.say('chooseZip')}</button>
</div>
${uploadForm(visit, limits, trouble)}
</div>
<div class="options scripted">
<details><summary>${words.say('protect')} <span class="ready">${words.say('passwordReady')}</span></summary>${passwordField(visit, limits, 'publish-password', '')}</details>
${visit.offers.names && html`<details><summary>${words.say('nameHeading')} <span class="ready" dir="auto" data-value></span></summary>${nameField(visit, 'publish-name', { name: '' })}</details>`}
</div>
<p class="limits quiet">${limitsLine(visit, limits)}</p>
${allowance && html`<p class="limits quiet">${allowance}</p>`}
</section>`;
}

function maintenancePanel({ words, mode: { message } }: SignedInContext): Html {
  return html`<section class="publish off" aria-labelledby="publish-title"><div class="drop">
<div class="drop-text"><h2 id="publish-title">${words.say('readOnlyTitle')}</h2>
<p class="quiet" id="${READ_ONLY_ID}">${words.say('read_only')}</p>${message && html`<p dir="auto">${message}</p>`}</div>
</div></section>`;
}

function uploadForm(visit: SignedInContext, limits: Limits, trouble: PublishTrouble | undefined): Html {
  const { words, base } = visit;
  const content = html`${hidden('key', randomUUID())}
${field(visit, 'archive', 'archiveLabel', {
  describedBy: trouble && 'archive-error',
  attributes: html`type="file" accept=".zip,application/zip" required${trouble && html` aria-invalid="true"`}`,
})}
${field(visit, 'upload-title', 'titleHeading', {
  name: 'title',
  value: '',
  attributes: html`maxlength="255" autocomplete="off"`,
})}
${passwordField(visit, limits, 'upload-password', 'password')}
<button class="primary">${words.say('publish')}</button>`;
  const attributes = html` class="upload unscripted" enctype="multipart/form-data"`;
  return html`${form(visit, `${base}/publish`, content, attributes)}
${trouble && html`<div class="trouble" id="archive-error" role="alert"><h2>${trouble.summary}</h2>${trouble.problems}</div>`}`;
}

/** Browsers check the length before they send anything: a refused form loses its file. */
function passwordField(visit: SignedInContext, limits: Limits, id: string, name: string): Html {
  const attributes = html`minlength="${limits.passwordMinCharacters}" autocomplete="new-password"`;
  return field(visit, id, 'passwordOptional', { name, isSecret: true, attributes });
}

function limitsLine({ words }: SignedInContext, limits: Limits): string {
  return words.say('limits', {
    files: limits.files,
    archive: words.size(limits.archiveBytes),
    lifetime: words.span(limits.lifetime),
  });
}
