import { expect } from 'chai';
import { callApi, publishPin } from '../servers/api-calls.ts';
import { startChild } from '../servers/child-server.ts';

describe('the handlers over stores in memory, in a process that forbids code from strings,', () => {
  it('publish, list, change and show', async () => {
    const env = { NODE_OPTIONS: '--disallow-code-generation-from-strings' };
    const [, url = '', apiKey = ''] = await startChild(env, 'serve-in-memory.ts').untilOutput(
      /"url":"([^"]+)","key":"([^"]+)"/,
    );
    const readText = async (path: string, status: number, change?: object) => {
      const answer = await callApi(url, apiKey, change === undefined ? 'GET' : 'PATCH', path, change);
      const body = await answer.text();
      expect(answer.status, `${path}: ${body}`).to.equal(status);
      return body;
    };
    const pin = await publishPin(url, apiKey, 'harbour');
    expect(await readText(`/api/v1/pins/${pin.id}`, 200, { title: 'Quay' })).to.include('"Quay"');
    expect(await readText(`/api/v1/pins/${pin.id}`, 422, { titel: 'Quay' })).to.include('invalid_update');
    expect(await readText('/api/v1/pins?limit=1', 200)).to.include(pin.id);
    await readText('/api/v1/pins?limit=0', 400);
    expect(await readText(`/s/${pin.id}/`, 200)).to.include('harbour');
  });
});
