/** How a webhook is trusted and how it trusts: read from watched keys with each call, and never shown. */

import type { TLSSocket } from 'node:tls';
import { inspect } from 'node:util';
import { expect, test } from 'vitest';
import { CertificateAuthority } from '../../../../testing/src/apiserver/tls/certificate-authority.ts';
import type { ConnectionSpec } from '../../src/spec.ts';
import { answering, hookServer, keyReference, keysOf, scriptedHook, webhook } from './support.ts';

const ANSWER = '{"children":[]}';

const TOKEN: ConnectionSpec = {
  authorization: { scheme: 'Bearer', credentials: keyReference('hook', 'token') },
};

/** A hook over TLS that remembers the certificates of its clients. */
async function secureHook(
  authority = new CertificateAuthority(),
  names = ['127.0.0.1', 'localhost'],
) {
  const clients: string[] = [];
  const hook = await hookServer(
    (request, response) => {
      const { raw } = (request.socket as TLSSocket).getPeerCertificate();
      clients.push(raw?.toString('base64') ?? '');
      request.resume().on('end', () => response.end(ANSWER));
    },
    { ...authority.issue(names), requestCert: true, rejectUnauthorized: false },
  );
  return { ...hook, authority, clients };
}

test('[metacontroller 22] [metacontroller M9] the next call uses a rotated token', async () => {
  const { url, received } = await scriptedHook(answering(200, {}, ANSWER));
  const keys = keysOf({ 'farm/hook/token': 'first\n' });
  const { call } = webhook({ url, connection: TOKEN }, { keys });

  await call();
  keys.values['farm/hook/token'] = 'second';
  await call();

  expect(received.map(({ headers }) => headers.authorization)).toEqual([
    'Bearer first',
    'Bearer second',
  ]);
});

test('the user and password from a Secret replace the user and password in the URL', async () => {
  const { url, received } = await scriptedHook(answering(200, {}, ANSWER));
  const keys = keysOf({ 'farm/hook/username': 'anna', 'farm/hook/password': 'ä:b\n' });
  const connection = {
    basicAuth: {
      username: keyReference('hook', 'username'),
      password: keyReference('hook', 'password'),
    },
  };

  await webhook({ url: url.replace('//', '//x:y@'), connection }, { keys }).call();

  const [, encoded = ''] = received[0]?.headers.authorization?.split(' ') ?? [];
  expect(Buffer.from(encoded, 'base64').toString()).toBe('anna:ä:b');
});

test('[metacontroller 22] [metacontroller M9] the next call uses a rotated authority', async () => {
  const { url, authority } = await secureHook();
  const keys = keysOf({ 'farm/ca/ca.crt': authority.certificate });
  const { call } = webhook(
    { url, connection: { caBundle: keyReference('ca', 'ca.crt', 'ConfigMap') } },
    { keys },
  );
  await expect(call()).resolves.toEqual({ text: ANSWER });

  keys.values['farm/ca/ca.crt'] = new CertificateAuthority().certificate;
  await expect(call()).rejects.toMatchObject({ reason: 'Unreachable' });

  keys.values['farm/ca/ca.crt'] = authority.certificate;
  await expect(call()).resolves.toEqual({ text: ANSWER });
});

test('[contract 20] [metacontroller 22] the next call uses a rotated client certificate', async () => {
  const { url, authority, clients } = await secureHook();
  const first = authority.issue(['a.example']);
  const second = authority.issue(['b.example']);
  const keys = keysOf({ 'farm/tls/tls.crt': first.cert, 'farm/tls/tls.key': first.key });
  const connection = {
    caBundle: { inline: authority.certificate },
    clientTls: {
      certificate: keyReference('tls', 'tls.crt'),
      privateKey: keyReference('tls', 'tls.key'),
    },
  };
  const { call } = webhook({ url, connection }, { keys });

  await call();
  Object.assign(keys.values, { 'farm/tls/tls.crt': second.cert, 'farm/tls/tls.key': second.key });
  await call();

  expect(clients).toEqual([first, second].map(({ cert }) => cert.replace(/-----.*-----|\s/g, '')));
});

test('a server is unreachable if its certificate is untrusted or for another name', async () => {
  const { url, authority, clients } = await secureHook(new CertificateAuthority(), [
    'farm.example',
  ]);
  const connection = { caBundle: { inline: authority.certificate } };

  await expect(webhook({ url }).call()).rejects.toMatchObject({ reason: 'Unreachable' });
  await expect(webhook({ url, connection }).call()).rejects.toMatchObject({
    reason: 'Unreachable',
    context: { cause: 'ERR_TLS_CERT_ALTNAME_INVALID' },
  });
  expect(clients).toEqual([]);
});

test('a call sends the name of the server by SNI', async () => {
  const { url, authority } = await secureHook(new CertificateAuthority(), ['localhost']);
  const connection = { caBundle: { inline: authority.certificate } };

  const { call } = webhook({ url: url.replace('127.0.0.1', 'localhost'), connection });

  await expect(call()).resolves.toEqual({ text: ANSWER });
});

test('a server that speaks only TLS 1.1 is unreachable', async () => {
  const authority = new CertificateAuthority();
  const { url } = await hookServer((_, response) => response.end(ANSWER), {
    ...authority.issue(['127.0.0.1']),
    minVersion: 'TLSv1',
    maxVersion: 'TLSv1.1',
    ciphers: 'DEFAULT@SECLEVEL=0',
  });
  const connection = { caBundle: { inline: authority.certificate } };

  await expect(webhook({ url, connection }).call()).rejects.toMatchObject({
    reason: 'Unreachable',
  });
});

const PEM = new CertificateAuthority();

test.each<[string, ConnectionSpec, Record<string, string>, string]>([
  ['a key that does not exist', TOKEN, {}, 'no farm/hook/token'],
  [
    'a token of two lines',
    TOKEN,
    { 'farm/hook/token': 'SECRET\r\nx: SECRET' },
    'Secret farm/hook, key token',
  ],
  [
    'an authority that is not a certificate',
    { caBundle: keyReference('ca', 'ca.crt') },
    { 'farm/ca/ca.crt': 'SECRET' },
    'Secret farm/ca, key ca.crt: it has no certificate in PEM',
  ],
  ['an invalid inline authority', { caBundle: { inline: 'SECRET' } }, {}, 'caBundle.inline'],
  [
    'a certificate without its key',
    {
      clientTls: {
        certificate: keyReference('tls', 'tls.crt'),
        privateKey: keyReference('tls', 'tls.key'),
      },
    },
    { 'farm/tls/tls.crt': PEM.certificate, 'farm/tls/tls.key': 'SECRET' },
    'Secret farm/tls, key tls.crt and Secret farm/tls, key tls.key: not usable for TLS',
  ],
  [
    'a user name with a colon',
    { basicAuth: { username: keyReference('u', 'u'), password: keyReference('u', 'p') } },
    { 'farm/u/u': 'SECRET:x', 'farm/u/p': 'SECRET' },
    'Secret farm/u, key u: a user name has no ":"',
  ],
])('an error about %s contains its key, and never its value', async (_, connection, values, message) => {
  const { url, received } = await scriptedHook(answering(200, {}, ANSWER));

  const error = await webhook({ url, connection }, { keys: keysOf(values) })
    .call()
    .catch((thrown: unknown) => thrown);

  expect(error).toMatchObject({ name: 'HookError', reason: 'MissingCredentials' });
  expect((error as Error).message).toContain(message);
  expect(inspect(error, { depth: 9 })).not.toContain('SECRET');
  expect(received).toEqual([]);
});
