import { expect } from 'chai';
import { html, raw } from '../src/internal.ts';

describe('Markup', () => {
  it('has whatever is put into it escaped, in attributes too', () => {
    const hostile = `"><script>alert('&')</script>`;
    const escaped = '&quot;&gt;&lt;script&gt;alert(&#39;&amp;&#39;)&lt;/script&gt;';
    expect(String(html`<p title="${hostile}">${hostile}${[hostile]}</p>`)).to.equal(
      `<p title="${escaped}">${escaped}${escaped}</p>`,
    );
  });

  it('keeps markup and numbers, and leaves out what is absent', () => {
    const rows = [1, 2].map((row) => html`<li>${row}</li>`);
    expect(String(html`<ul>${rows}</ul>${undefined}${null}${false}${raw('<br>')}`)).to.equal(
      '<ul><li>1</li><li>2</li></ul><br>',
    );
  });

  it('takes nothing that is still to come', () => {
    // @ts-expect-error a promise
    void html`<p>${Promise.resolve('')}</p>`;
  });
});
