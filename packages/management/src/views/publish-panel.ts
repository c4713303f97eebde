import { randomUUID } from 'node:crypto';
import type { Limits } from '@pinfold/core';
import { type Html, html } from '@pinfold/http/internal';
import { ownerMark } from '../request/cookies.ts';
import type { SignedInContext } from '../request/request-context.ts';
import { field, form, hidden, READ_ONLY_ID } from './forms.ts';
import { nameField } from './names.ts';
import { icon } from './parts.ts';

export interface PublishFormError {
  readonly summary: string;
  readonly problems?: Html | undefined;
}

interface PublishPanel {
  readonly limits: Limits;
  readonly allowance: string;
  readonly formError: PublishFormError | undefined;
}

/** The area to drop or choose a folder, a ZIP or a page; without scripts, a form for a ZIP. `isRoomy` enlarges it. */
export function publishPanel(
  context: SignedInContext,
  { limits, allowance, formError }: PublishPanel,
  isRoomy: boolean,
): Html {
  const { messages, base, account, formToken, mode, screen } = context;
  if (mode.kind === 'read_only') return maintenancePanel(context);
  const { archiveBytes, expandedBytes, files, fileBytes } = limits;
  const { publish, worker } = screen.assets.names;
  const owner = ownerMark(context.secret, account);
  const data = { owner, token: formToken.masked, limits: { archiveBytes, expandedBytes, files, fileBytes } };
  return html`<section class="publish${isRoomy ? ' roomy' : ''}" aria-labelledby="publish-title" data-publish="${JSON.stringify(data)}" data-action="${base}/publish" data-script="${base}/assets/${publish}" data-worker="${base}/assets/${worker}">
<div class="drop" data-drop>
${isRoomy && html`<div class="drop-sign">${icon('folder')}</div>`}
<div class="drop-text"><h2 id="publish-title"><span class="scripted">${messages.text('publishTitle')}</span><span class="unscripted">${messages.text('publishZip')}</span></h2></div>
<div class="drop-buttons scripted">
<button type="button" class="primary" data-choose="folder">${icon('folder')}${messages.text('chooseFolder')}</button>
<button type="button" data-choose="archive">${icon('archive')}${messages.text('chooseZip')}</button>
</div>
${uploadForm(context, limits, formError)}
</div>
<div class="options scripted">
<details><summary>${messages.text('protect')} <span class="ready">${messages.text('passwordReady')}</span></summary>${passwordField(context, limits, 'publish-password', '')}</details>
${screen.names && html`<details><summary>${messages.text('nameHeading')} <span class="ready" dir="auto" data-value></span></summary>${nameField(context, 'publish-name', { name: '' })}</details>`}
</div>
<p class="limits quiet">${limitsLine(context, limits)}</p>
${allowance && html`<p class="limits quiet">${allowance}</p>`}
</section>`;
}

function maintenancePanel({ messages, mode: { message } }: SignedInContext): Html {
  return html`<section class="publish off" aria-labelledby="publish-title"><div class="drop">
<div class="drop-text"><h2 id="publish-title">${messages.text('readOnlyTitle')}</h2>
<p class="quiet" id="${READ_ONLY_ID}">${messages.text('read_only')}</p>${message && html`<p dir="auto">${message}</p>`}</div>
</div></section>`;
}

function uploadForm(context: SignedInContext, limits: Limits, formError: PublishFormError | undefined): Html {
  const { messages, base } = context;
  const content = html`${hidden('key', randomUUID())}
${field(context, 'archive', 'archiveLabel', {
  describedBy: formError && 'archive-error',
  attributes: html`type="file" accept=".zip,application/zip" required${formError && html` aria-invalid="true"`}`,
})}
${field(context, 'upload-title', 'titleHeading', {
  name: 'title',
  value: '',
  attributes: html`maxlength="255" autocomplete="off"`,
})}
${passwordField(context, limits, 'upload-password', 'password')}
<button class="primary">${messages.text('publish')}</button>`;
  const attributes = html` class="upload unscripted" enctype="multipart/form-data"`;
  return html`${form(context, `${base}/publish`, content, attributes)}
${formError && html`<div class="form-error" id="archive-error" role="alert"><h2>${formError.summary}</h2>${formError.problems}</div>`}`;
}

/**
 * Lets the browser check the length before it sends the form: a refused form loses its file.
 *
 * @param name empty for a field that only the script reads.
 */
function passwordField(context: SignedInContext, limits: Limits, id: string, name: string): Html {
  const attributes = html`minlength="${limits.passwordMinCharacters}" autocomplete="new-password"`;
  return field(context, id, 'passwordOptional', { name, isSecret: true, attributes });
}

function limitsLine({ messages }: SignedInContext, limits: Limits): string {
  return messages.text('limits', {
    files: limits.files,
    archive: messages.size(limits.archiveBytes),
    lifetime: messages.span(limits.lifetime),
  });
}
