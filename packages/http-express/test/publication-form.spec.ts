import { defaultLimits } from '@pinfold/core';
import { expect } from 'chai';
import { PublicationForm, refuseBody } from '../src/reading/publication-form.ts';

describe('The form of a publication', () => {
  const archive = { name: 'archive', filename: 'site.zip', type: 'application/zip' };

  it('refuses a file without a name, and gives the limit for archives', () => {
    const form = new PublicationForm({ ...defaultLimits, archiveBytes: 5 });
    const limit = { rule: 'archive_too_large', limit: 5 };
    for (const [refused, code, error] of [
      [form.file({ ...archive, filename: undefined }), 'invalid_form', { rule: 'filename' }],
      [form.end(), 'invalid_form', { rule: 'archive_missing' }],
      [form.refuse('archive_too_large'), 'archive_too_large', limit],
    ] as const) {
      expect(refused).to.include({ kind: 'refused', code });
      expect(refused).to.have.nested.property('details.errors[0]').that.includes(error);
    }
    expect(form.file(archive)).to.equal(undefined);
    expect(form.end()).to.deep.equal({ kind: 'fields', fields: { filename: 'site.zip', title: null } });
  });

  it('is refused for a title that is too long to be read, after all other checks', () => {
    const title = { name: 'title', text: 'x'.repeat(65_536), cut: true };
    const form = new PublicationForm({ ...defaultLimits, titleCharacters: 100_000 });
    expect(form.field(title)).to.equal(undefined);
    expect(form.field({ name: 'other', text: '', cut: false })).to.include({ code: 'invalid_form' });
    expect(form.end()).to.include({ code: 'invalid_form' });
    expect(form.file(archive)).to.equal(undefined);
    expect(form.end()).to.have.nested.property('fields.title.code', 'invalid_title');
  });

  it('must be sent whole', () => {
    const details = { detail: 'Send the body whole: it broke off.' };
    expect(refuseBody('broken_off', '')).to.deep.include({ code: 'invalid_request', details });
  });
});
