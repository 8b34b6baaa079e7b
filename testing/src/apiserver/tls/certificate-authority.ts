import { createHash, generateKeyPairSync, type KeyObject, randomBytes, sign } from 'node:crypto';
import { isIP, isIPv4 } from 'node:net';
import { bits, der, integer, objectId, octets, sequence, text } from './der.ts';

/** A key and its certificate, both PEM. */
export interface KeyAndCertificate {
  readonly key: string;
  readonly cert: string;
}

interface Pair {
  readonly privateKey: KeyObject;
  readonly publicKey: KeyObject;
}

const ECDSA_WITH_SHA256 = sequence(objectId('2a8648ce3d040302'));
/** As kubeadm names it: another authority, too, so that clients find it by its key alone. */
const AUTHORITY_NAME = nameOf('kubernetes');
/** Good at any time: RFC 5280 has the last second of the year 9999 for an end that is not known. */
const VALIDITY = sequence(
  der(0x17, Buffer.from('200101000000Z')),
  der(0x18, Buffer.from('99991231235959Z')),
);

/**
 * Signs certificates for servers, with a key of its own that nobody else has. What Node's crypto does
 * not do is written here: so it works where no `openssl` is installed, as in an image.
 */
export class CertificateAuthority {
  readonly #keys: Pair = newKeys();
  /** PEM, what clients are told to trust. */
  readonly certificate: string;

  constructor() {
    const extensions = [
      extension('551d13', sequence(der(0x01, Buffer.from([0xff]))), true), // an authority
      extension('551d0f', bits(Buffer.from([0x06]), 1), true), // signs certificates and lists
      extension('551d0e', octets(keyId(this.#keys.publicKey))),
    ];
    this.certificate = this.#signed(AUTHORITY_NAME, this.#keys.publicKey, extensions);
  }

  /** A key and a certificate for a server. @param names - DNS names and IP addresses. */
  issue(names: readonly string[]): KeyAndCertificate {
    const { privateKey, publicKey } = newKeys();
    const authority = sequence(der(0x80, keyId(this.#keys.publicKey)));
    const cert = this.#signed(nameOf('kube-apiserver'), publicKey, [
      extension('551d0f', bits(Buffer.from([0x80]), 7), true), // signs handshakes
      extension('551d25', sequence(objectId('2b06010505070301'))), // a server
      extension('551d23', authority),
      extension('551d11', sequence(...names.map(alternativeName))),
    ]);
    return { key: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(), cert };
  }

  #signed(subject: Buffer, publicKey: KeyObject, extensions: readonly Buffer[]): string {
    const body = sequence(
      der(0xa0, integer(Buffer.from([2]))), // version 3
      integer(randomBytes(16)),
      ECDSA_WITH_SHA256,
      AUTHORITY_NAME,
      VALIDITY,
      subject,
      publicKey.export({ type: 'spki', format: 'der' }),
      der(0xa3, sequence(...extensions)),
    );
    const signature = sign('sha256', body, this.#keys.privateKey);
    const certificate = sequence(body, ECDSA_WITH_SHA256, bits(signature));
    const lines = certificate.toString('base64').match(/.{1,64}/g) ?? [];
    return `-----BEGIN CERTIFICATE-----\n${lines.join('\n')}\n-----END CERTIFICATE-----\n`;
  }
}

function newKeys(): Pair {
  return generateKeyPairSync('ec', { namedCurve: 'P-256' });
}

/** A name that consists of a common name. */
function nameOf(commonName: string): Buffer {
  return sequence(der(0x31, sequence(objectId('550403'), text(commonName))));
}

function extension(id: string, value: Buffer, isCritical = false): Buffer {
  const critical = isCritical ? [der(0x01, Buffer.from([0xff]))] : [];
  return sequence(objectId(id), ...critical, octets(value));
}

/** By which a certificate names the key that signed it. */
function keyId(publicKey: KeyObject): Buffer {
  const bytes = publicKey.export({ type: 'spki', format: 'der' });
  return createHash('sha256').update(bytes).digest().subarray(0, 20);
}

function alternativeName(name: string): Buffer {
  if (isIP(name) === 0) return der(0x82, Buffer.from(name));
  return der(0x87, isIPv4(name) ? Buffer.from(name.split('.').map(Number)) : ipv6Bytes(name));
}

/** The 16 bytes of an address: WHATWG's parser writes it without an IPv4 part. */
function ipv6Bytes(address: string): Buffer {
  const plain = new URL(`http://[${address.replace(/%.*$/, '')}]`).hostname.slice(1, -1);
  const [head = '', tail] = plain.split('::');
  const groupsOf = (part: string): string[] => part.split(':').filter((group) => group !== '');
  const before = groupsOf(head);
  const after = groupsOf(tail ?? '');
  const zeros = Array<string>(8 - before.length - after.length).fill('0');
  const groups = [...before, ...zeros, ...after];
  return Buffer.from(groups.map((group) => group.padStart(4, '0')).join(''), 'hex');
}
