import { expect } from 'chai';
import { type PinJson, publish } from '../servers/api-calls.ts';
import { startChild } from '../servers/child-server.ts';

describe('the handlers over stores in memory, in a process that forbids code from strings,', () => {
  it('publish, list, change and show', async () => {
    const env = { NODE_OPTIONS: '--disallow-code-generation-from-strings' };
    const [, url = '', apiKey = ''] = await startChild(env, 'serve-in-memory.ts').untilOutput(
      /"url":"([^"]+)","key":"([^"]+)"/,
    );
    const readText = async (path: string, status: number, request: RequestInit = {}) => {
      const headers = { authorization: `Bearer ${apiKey}`, ...request.headers };
      const answer = await fetch(new URL(path, url), { ...request, headers });
      const body = await answer.text();
      expect(answer.status, `${path}: ${body}`).to.equal(status);
      return body;
    };
    const published = await publish(url, apiKey, 'harbour');
    expect(published.status).to.equal(201);
    const { pin } = (await published.json()) as { readonly pin: PinJson };
    const json = { 'content-type': 'application/json' };
    const change = { method: 'PATCH', headers: json, body: JSON.stringify({ title: 'Quay' }) };
    expect(await readText(`/api/v1/pins/${pin.id}`, 200, change)).to.include('"Quay"');
    const wrong = { ...change, body: JSON.stringify({ titel: 'Quay' }) };
    expect(await readText(`/api/v1/pins/${pin.id}`, 422, wrong)).to.include('invalid_update');
    expect(await readText('/api/v1/pins?limit=1', 200)).to.include(pin.id);
    await readText('/api/v1/pins?limit=0', 400);
    expect(await readText(`/s/${pin.id}/`, 200)).to.include('harbour');
  });
});
