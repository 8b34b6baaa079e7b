import type { KeyObject } from 'node:crypto';
import { isIP, isIPv4 } from 'node:net';
import process from 'node:process';
import {
  Boolean as Asn1Boolean,
  Set as Asn1Set,
  type BaseBlock,
  BitString,
  Constructed,
  fromBER,
  GeneralizedTime,
  Integer,
  ObjectIdentifier,
  OctetString,
  Primitive,
  Sequence,
  UTCTime,
  Utf8String,
} from 'asn1js';

const { createHash, generateKeyPairSync, randomBytes, sign } =
  process.getBuiltinModule('node:crypto');

/** A key and its certificate, both in PEM. */
export interface KeyAndCertificate {
  readonly key: string;
  readonly cert: string;
}

interface Pair {
  readonly privateKey: KeyObject;
  readonly publicKey: KeyObject;
}

/** The tag class of values whose meaning depends on where they are: `[0]`, `[2]` and so on in RFC 5280. */
const CONTEXT_SPECIFIC = 3;
/** Version 3 of a certificate, which is encoded as 2 because the encoding counts from 0. */
const VERSION_3 = 2;
const ECDSA_WITH_SHA256 = '1.2.840.10045.4.3.2';
const COMMON_NAME = '2.5.4.3';
const SERVER_AUTHENTICATION = '1.3.6.1.5.5.7.3.1';
const SUBJECT_KEY_IDENTIFIER = '2.5.29.14';
const KEY_USAGE = '2.5.29.15';
const SUBJECT_ALTERNATIVE_NAME = '2.5.29.17';
const BASIC_CONSTRAINTS = '2.5.29.19';
const AUTHORITY_KEY_IDENTIFIER = '2.5.29.35';
const EXTENDED_KEY_USAGE = '2.5.29.37';

/**
 * The name that kubeadm gives to its authority. All authorities here have it, and clients distinguish them by
 * the key.
 */
const AUTHORITY_NAME = 'kubernetes';
const VALID_FROM = new Date('2020-01-01T00:00:00Z');
/**
 * The end of every certificate's validity, so that no certificate expires in a test. RFC 5280, 4.1.2.5, uses
 * this date for certificates without a known end.
 */
const VALID_UNTIL = new Date('9999-12-31T23:59:59Z');

/**
 * Signs server certificates with its own key. The key never leaves the instance.
 *
 * Node's crypto makes the keys and the signatures, `asn1js` encodes the fields, and this class decides which
 * fields a certificate has (RFC 5280). This way, `openssl` need not be installed.
 */
export class CertificateAuthority {
  readonly #keys: Pair = newKeys();
  /** The certificate of the authority in PEM, which clients trust. */
  readonly certificate: string;

  constructor() {
    this.certificate = this.#signed(AUTHORITY_NAME, this.#keys.publicKey, [
      extension(BASIC_CONSTRAINTS, sequence(new Asn1Boolean({ value: true })), 'critical'),
      extension(KEY_USAGE, bits([0b0000_0110], 1), 'critical'), // signs certificates and revocation lists
      extension(SUBJECT_KEY_IDENTIFIER, new OctetString({ valueHex: keyId(this.#keys.publicKey) })),
    ]);
  }

  /**
   * Makes a key and a certificate for a server.
   * @param names - DNS names and IP addresses.
   */
  issue(names: readonly string[]): KeyAndCertificate {
    const { privateKey, publicKey } = newKeys();
    const cert = this.#signed('kube-apiserver', publicKey, [
      extension(KEY_USAGE, bits([0b1000_0000], 7), 'critical'), // signs TLS handshakes
      extension(EXTENDED_KEY_USAGE, sequence(objectId(SERVER_AUTHENTICATION))),
      extension(AUTHORITY_KEY_IDENTIFIER, sequence(tagged(0, keyId(this.#keys.publicKey)))),
      extension(SUBJECT_ALTERNATIVE_NAME, sequence(...names.map(alternativeName))),
    ]);
    return { key: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(), cert };
  }

  #signed(subject: string, publicKey: KeyObject, extensions: readonly Sequence[]): string {
    const body = sequence(
      wrapped(0, new Integer({ value: VERSION_3 })),
      Integer.fromBigInt(`0x${randomBytes(16).toString('hex')}`),
      sequence(objectId(ECDSA_WITH_SHA256)),
      nameOf(AUTHORITY_NAME),
      sequence(
        new UTCTime({ valueDate: VALID_FROM }),
        new GeneralizedTime({ valueDate: VALID_UNTIL }),
      ),
      nameOf(subject),
      fromBER(publicKey.export({ type: 'spki', format: 'der' })).result,
      wrapped(3, sequence(...extensions)),
    );
    const signature = sign('sha256', Buffer.from(body.toBER()), this.#keys.privateKey);
    const certificate = sequence(
      body,
      sequence(objectId(ECDSA_WITH_SHA256)),
      new BitString({ valueHex: signature }),
    );
    const lines = Buffer.from(certificate.toBER())
      .toString('base64')
      .match(/.{1,64}/g);
    return `-----BEGIN CERTIFICATE-----\n${lines?.join('\n')}\n-----END CERTIFICATE-----\n`;
  }
}

function newKeys(): Pair {
  return generateKeyPairSync('ec', { namedCurve: 'P-256' });
}

/** A distinguished name that contains only a common name. */
function nameOf(commonName: string): Sequence {
  const attribute = sequence(objectId(COMMON_NAME), new Utf8String({ value: commonName }));
  return sequence(new Asn1Set({ value: [attribute] }));
}

function extension(id: string, value: BaseBlock, critical?: 'critical'): Sequence {
  const flag = critical === undefined ? [] : [new Asn1Boolean({ value: true })];
  return sequence(objectId(id), ...flag, new OctetString({ valueHex: value.toBER() }));
}

/** The identifier of a key. A certificate contains the identifier of the key that signed it. */
function keyId(publicKey: KeyObject): Uint8Array {
  const bytes = publicKey.export({ type: 'spki', format: 'der' });
  return createHash('sha256').update(bytes).digest().subarray(0, 20);
}

/** A GeneralName of RFC 5280: `[2]` is a DNS name, `[7]` an IP address as bytes. */
function alternativeName(name: string): Primitive {
  if (isIP(name) === 0) return tagged(2, Buffer.from(name));
  return tagged(7, isIPv4(name) ? Buffer.from(name.split('.').map(Number)) : ipv6Bytes(name));
}

/**
 * The 16 bytes of an IPv6 address. WHATWG's URL parser rewrites the address, so that it has no IPv4 part.
 */
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

function sequence(...value: BaseBlock[]): Sequence {
  return new Sequence({ value });
}

function objectId(value: string): ObjectIdentifier {
  return new ObjectIdentifier({ value });
}

/**
 * A bit string.
 * @param unusedBits - the number of unused bits at the end of the last byte.
 */
function bits(bytes: readonly number[], unusedBits: number): BitString {
  return new BitString({ valueHex: Uint8Array.from(bytes), unusedBits });
}

/** Bytes with a tag that replaces the tag of their type (implicit tagging). */
function tagged(tagNumber: number, valueHex: Uint8Array): Primitive {
  return new Primitive({ idBlock: { tagClass: CONTEXT_SPECIFIC, tagNumber }, valueHex });
}

/** A value that keeps its own tag, inside a second tag (explicit tagging). */
function wrapped(tagNumber: number, value: BaseBlock): Constructed {
  return new Constructed({ idBlock: { tagClass: CONTEXT_SPECIFIC, tagNumber }, value: [value] });
}
