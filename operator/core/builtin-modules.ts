import process from 'node:process';

/**
 * `node:crypto` and `node:http`, loaded when they are used. An `import` of them costs every start, not
 * for what is used, but because it reads all that they export: Web Crypto (7 ms), WebSocket and with it
 * Node's own copy of undici (30 ms).
 */
export const nodeCrypto = (): typeof import('node:crypto') =>
  process.getBuiltinModule('node:crypto');

/** See `nodeCrypto`. */
export const nodeHttp = (): typeof import('node:http') => process.getBuiltinModule('node:http');
