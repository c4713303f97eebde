import { expect } from 'chai';
import { invalidAnswerText, unreachableText } from '../../src/api-client/failure-text.ts';

describe('the text of a failure', () => {
  const fetchError = (code: string) =>
    new TypeError('fetch failed', { cause: Object.assign(new Error(code), { code }) });

  it('explains a refused connection and an unknown host, with the code', () => {
    const url = 'https://pages.example/x';
    expect(unreachableText(url, fetchError('ECONNREFUSED'))).to.equal(
      'pages.example cannot be reached: no server listens at this address (ECONNREFUSED)',
    );
    expect(unreachableText(url, fetchError('ENOTFOUND'))).to.equal(
      'pages.example cannot be reached: this host name does not exist (ENOTFOUND)',
    );
    expect(unreachableText(url, fetchError('ECONNRESET'))).to.equal(
      'pages.example cannot be reached: ECONNRESET',
    );
  });

  it('advises on certificates and wrong protocols', () => {
    for (const [code, advice] of [
      ['DEPTH_ZERO_SELF_SIGNED_CERT', 'NODE_EXTRA_CA_CERTS'],
      ['UNABLE_TO_GET_ISSUER_CERT_LOCALLY', 'NODE_EXTRA_CA_CERTS'],
      ['CERT_HAS_EXPIRED', 'renew'],
      ['ERR_TLS_CERT_ALTNAME_INVALID', 'another name'],
      ['ERR_SSL_WRONG_VERSION_NUMBER', 'http://?'],
    ] as const) {
      expect(unreachableText('https://pages.example', fetchError(code)))
        .to.include(advice)
        .and.include(code);
    }
  });

  it('reports an answer that is not HTTP, with a code of Node or without', () => {
    const withoutCode = Object.assign(
      new Error('Response does not match the HTTP/1.1 protocol (Expected HTTP/)'),
      { code: undefined },
    );
    for (const cause of [fetchError('HPE_INVALID_CONSTANT').cause, withoutCode])
      expect(unreachableText('http://pages.example', new TypeError('fetch failed', { cause })))
        .to.include('should the URL begin with https://?')
        .and.not.include('undefined');
  });

  it('questions the whole URL, with its path, if another program answers', () => {
    expect(invalidAnswerText('https://pages.example/x', 404)).to.equal(
      'pages.example answered with 404 Not Found and no reason; is there a Pinfold at https://pages.example/x?',
    );
  });
});
