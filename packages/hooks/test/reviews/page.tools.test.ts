/**
 * The hook of docs/guides/write/hooks.md that answers the API server, as it stands there.
 *
 * @module-tag bash
 * @module-tag jq
 */
import { expect, test } from 'vitest';
import { guide } from '../../../../test/docs/guide.ts';
import { startReviewing, written } from '../support/reviewing.ts';

test('[hooks 26] the hook of the documentation page refuses a ConfigMap without an owner, and allows a ConfigMap with an owner', async () => {
  const [, script = ''] =
    /^```bash owners\.sh\n(.*?)^```$/ms.exec(guide('guides/write/hooks.md')) ?? [];
  const place = await startReviewing({ 'owners.sh': script });
  const metadata = { name: 'settings', labels: { owner: 'ada' } };

  const without = await written(place, { metadata: { name: 'settings' }, data: {} });
  const owned = await written(place, { metadata, data: {} });

  expect(without.status).toBe(403);
  expect(without.body.message).toContain('denied the request: the label owner is missing');
  expect(owned.status).toBe(201);
});
