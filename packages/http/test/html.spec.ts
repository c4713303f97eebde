import { expect } from 'chai';
import { html, raw } from '../src/internal.ts';

describe('Markup', () => {
  it('escapes all values, even in attributes', () => {
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

  it('writes the items of an iterable when the markup is written, and again when it is written again', () => {
    let written = 0;
    const items = {
      *[Symbol.iterator]() {
        for (const item of ['<a>', '<b>']) {
          written += 1;
          yield html`<li>${item}</li>`;
        }
      },
    };
    const list = html`<p>${html`<ul>${items}</ul>`}!</p>`;
    expect(written).to.equal(0);
    expect(String(list)).to.equal('<p><ul><li>&lt;a&gt;</li><li>&lt;b&gt;</li></ul>!</p>');
    expect(String(list)).to.equal('<p><ul><li>&lt;a&gt;</li><li>&lt;b&gt;</li></ul>!</p>');
    expect(written).to.equal(4);
  });

  it('is written in pieces of the required length, which together are all of it', () => {
    const items = new Set(['one', 'two', 'three', 'four']);
    const list = html`<ul>${items}</ul>`;
    expect([...list.pieces(6)]).to.deep.equal(['<ul>one', 'twothree', 'four</ul>', '']);
    expect([...list.pieces(1_000)]).to.deep.equal([String(list)]);
    expect([...html`${'short'}`.pieces(2)].join('')).to.equal('short');
  });

  it('accepts no promise', () => {
    // @ts-expect-error a promise
    void html`<p>${Promise.resolve('')}</p>`;
  });
});
