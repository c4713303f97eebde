import { type Html, html } from '@pinfold/http/internal';
import type { ShownPublication } from '../publication.ts';
import type { SignedInContext } from '../request/request-context.ts';
import { layout } from './layout.ts';
import { disabledInReadOnly } from './parts.ts';

/** Asks for confirmation before a publication is stopped. Scripts show the section as a dialog. */
export function stopView(
  visit: SignedInContext,
  { id, name, passwordProtected: locked, fileCount }: ShownPublication,
): Html {
  const { words, base } = visit;
  const path = `${base}/publications/${id}`;
  return layout(visit, {
    title: words.say('stopTitle'),
    signedIn: visit,
    main: html`<section class="card narrow" data-dialog-body>
<h1 id="dialog-title">${words.say('stopTitle')}</h1>
<p class="named" dir="auto">${name}</p>
<p>${words.say('stopConsequence', { count: fileCount })}</p>
${locked ? html`<p class="quiet">${words.say('stopProtected')}</p>` : undefined}
<div class="buttons end"><a class="button" href="${path}" data-close>${words.say('keepIt')}</a>
<form method="post" action="${path}/stop"><input type="hidden" name="form" value="${visit.formToken}"><button class="danger"${disabledInReadOnly(visit)}>${words.say('stop')}</button></form></div>
</section>`,
  });
}

/** Asks for confirmation before several publications are stopped. */
export function stopSelectedView(visit: SignedInContext, publications: readonly ShownPublication[]): Html {
  const { words, base } = visit;
  const count = publications.length;
  return layout(visit, {
    title: words.say('stopSeveralTitle', { count }),
    signedIn: visit,
    main: html`<section class="card narrow" data-dialog-body>
<h1 id="dialog-title">${words.say('stopSeveralTitle', { count })}</h1>
<ul class="paths">${publications.map(({ name }) => html`<li dir="auto">${name}</li>`)}</ul>
<p>${words.say('stopMeans')}</p>
<div class="buttons end"><a class="button" href="${base}/" data-close>${words.say('keepIt')}</a>
<form method="post" action="${base}/stop"><input type="hidden" name="form" value="${visit.formToken}">${publications.map(
      ({ id }) => html`<input type="hidden" name="id" value="${id}">`,
    )}<button class="danger"${disabledInReadOnly(visit)}>${words.say('stop')}</button></form></div>
</section>`,
  });
}
