import { type Html, html } from '@pinfold/http';
import type { ShownPublication } from '../publication.ts';
import type { SignedInContext } from '../request/request-context.ts';
import { layout } from './layout.ts';

/** Asks once more before a publication ends, and names it. Scripts show its middle as a dialog. */
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
<form method="post" action="${path}/stop"><input type="hidden" name="form" value="${visit.formToken}"><button class="danger">${words.say('stop')}</button></form></div>
</section>`,
  });
}
