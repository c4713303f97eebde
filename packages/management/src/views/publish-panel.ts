import { randomUUID } from 'node:crypto';
import type { Limits } from '@pinfold/core';
import { type Html, html } from '@pinfold/http/internal';
import { allowanceWords } from '../quota-text.ts';
import type { SignedInContext } from '../request/request-context.ts';
import { icon } from './icons.ts';
import type { ListModel } from './list.ts';
import { READ_ONLY_ID } from './parts.ts';

export interface PublishTrouble {
  readonly summary: string;
  readonly problems?: Html | undefined;
}

/** The area to drop or choose a folder, a ZIP or a page; without scripts, a form for a ZIP. */
export function publishPanel(
  visit: SignedInContext,
  { limits, allowance, trouble }: Pick<ListModel, 'allowance' | 'limits' | 'trouble'>,
  roomy: boolean,
): Html {
  const { words, base, formToken, assets, mode } = visit;
  if (mode.kind === 'read_only') return maintenancePanel(visit);
  const { archiveBytes, expandedBytes, files, fileBytes } = limits;
  const left = allowanceWords(visit, allowance);
  const data = { token: formToken, limits: { archiveBytes, expandedBytes, files, fileBytes } };
  return html`<section class="publish${roomy ? ' roomy' : ''}" aria-labelledby="publish-title" data-publish="${JSON.stringify(data)}" data-action="${base}/publish" data-script="${base}/assets/${assets.publish}" data-worker="${base}/assets/${assets.worker}">
<div class="drop" data-drop>
${roomy ? html`<div class="drop-sign">${icon('folder')}</div>` : undefined}
<div class="drop-text"><h2 id="publish-title">${words.say('publishTitle')}</h2></div>
<div class="drop-buttons scripted">
<button type="button" class="primary" data-choose="folder">${icon('folder')}${words.say('chooseFolder')}</button>
<button type="button" data-choose="archive">${icon('archive')}${words.say('chooseZip')}</button>
</div>
${uploadForm(visit, limits, trouble)}
</div>
<details class="protect scripted"><summary>${words.say('protect')}</summary>${passwordField(visit, limits, 'publish-password')}</details>
<p class="limits quiet">${limitsLine(visit, limits)}</p>
${left === '' ? undefined : html`<p class="limits quiet">${left}</p>`}
</section>`;
}

/** Nothing can be published now: the panel says why instead. */
function maintenancePanel({ words, mode: { message } }: SignedInContext): Html {
  return html`<section class="publish off" aria-labelledby="publish-title"><div class="drop">
<div class="drop-text"><h2 id="publish-title">${words.say('readOnlyTitle')}</h2>
<p class="quiet" id="${READ_ONLY_ID}">${words.say('readOnlyText')}</p>${message === null ? undefined : html`<p dir="auto">${message}</p>`}</div>
</div></section>`;
}

function uploadForm(visit: SignedInContext, limits: Limits, trouble: PublishTrouble | undefined): Html {
  const { words, base, formToken } = visit;
  const described =
    trouble === undefined ? undefined : html` aria-invalid="true" aria-describedby="archive-error"`;
  return html`<form class="upload unscripted" method="post" action="${base}/publish" enctype="multipart/form-data">
<input type="hidden" name="form" value="${formToken}"><input type="hidden" name="key" value="${randomUUID()}">
<div class="field"><label for="archive">${words.say('archiveLabel')}</label>
<input id="archive" name="archive" type="file" accept=".zip,application/zip" required${described}></div>
<div class="field"><label for="upload-title">${words.say('titleHeading')}</label>
<input id="upload-title" name="title" maxlength="255" autocomplete="off" dir="auto"></div>
${passwordField(visit, limits, 'upload-password', 'password')}
<button class="primary">${words.say('publish')}</button>
</form>
${
  trouble === undefined
    ? undefined
    : html`<div class="trouble" id="archive-error" role="alert"><h2>${trouble.summary}</h2>${trouble.problems}</div>`
}`;
}

/** Browsers check the length before they send anything: a refused form loses its file. */
function passwordField(
  { words }: SignedInContext,
  { passwordMinCharacters }: Limits,
  id: string,
  name?: string,
): Html {
  return html`<div class="field"><label for="${id}">${words.say('passwordOptional')}</label>
<div class="with-button" data-reveal data-show="${words.say('show')}" data-hide="${words.say('hide')}"><input id="${id}"${name === undefined ? undefined : html` name="${name}"`} type="password" minlength="${passwordMinCharacters}" autocomplete="new-password"></div></div>`;
}

function limitsLine({ words }: SignedInContext, limits: Limits): string {
  return words.say('limits', {
    files: limits.files,
    archive: words.size(limits.archiveBytes),
    lifetime: words.span(limits.lifetime),
  });
}
