import process from 'node:process';

/**
 * `node:crypto` and `node:http`, loaded on first use. An `import` would slow down every start, because it
 * reads all exports of the module, among them Web Crypto (7 ms) and WebSocket, which loads Node's own copy of
 * undici (30 ms).
 */
export const nodeCrypto = (): typeof import('node:crypto') =>
  process.getBuiltinModule('node:crypto');

/** `node:http`, loaded on first use, see `nodeCrypto`. */
export const nodeHttp = (): typeof import('node:http') => process.getBuiltinModule('node:http');
