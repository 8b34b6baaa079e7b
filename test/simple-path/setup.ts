/**
 * The simple path: of no object it can be told who it is without parsing it, so that each is parsed when
 * it arrives. Whatever else is tested must not depend on which path it is.
 */
import { vi } from 'vitest';

vi.mock(import('../../operator/stream/scan-identity.ts'), async (original) => ({
  ...(await original()),
  scanIdentity: () => undefined,
}));

vi.mock(import('../../operator/stream/held-object-text.ts'), async (original) => ({
  ...(await original()),
  heldObject: () => {
    throw new Error('an object is held on the simple path');
  },
}));
