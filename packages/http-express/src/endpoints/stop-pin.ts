import { writingEndpoint } from '../endpoint.ts';
import { refusedBy } from '../problems/state-refusal.ts';
import { pinId } from './path-parameters.ts';

export const stopPin = writingEndpoint({
  method: 'DELETE',
  path: '/api/v1/pins/{id}',
  id: 'stopPin',
  summary: 'Stop a publication at once',
  parameter: pinId,
  codes: ['invalid_state'],
  answers: () => ({ 204: { description: 'Stopped.' } }),
  handle: async ({ useCases }, { caller, cause, credential, signal }, { named: id }) => {
    const outcome = await useCases.stop({ by: caller.account, id, cause, credential, signal });
    return outcome.kind === 'refused' ? refusedBy(outcome, 'stop') : { status: 204 };
  },
});
