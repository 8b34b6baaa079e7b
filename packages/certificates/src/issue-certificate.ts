import { createHash, generateKeyPairSync, type KeyObject, randomBytes, sign } from 'node:crypto';
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

/**
 * A serving certificate, its key, and the certificate of the authority that signed it. All of them
 * are PEM.
 */
export interface Issued {
  readonly key: string;
  readonly certificate: string;
  readonly authority: string;
}

/** The content of a certificate. */
export interface IssueOptions {
  readonly dnsNames: readonly string[];
  /** Milliseconds since 1970. Certificates store whole seconds. */
  readonly validFrom: number;
  readonly validUntil: number;
}

/**
 * The tag class for values whose meaning depends on the surrounding structure: `[0]`, `[2]` and so
 * on in RFC 5280.
 */
const CONTEXT_SPECIFIC = 3;
/** Version 3 of a certificate. The encoding starts at 0. */
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
/** RFC 5280, 4.1.2.5: from 2050 on, years are written with four digits. */
const FIRST_LONG_YEAR = 2_050;

/** The common name that all authorities have. Clients distinguish authorities by their keys. */
export const AUTHORITY_NAME = 'chancery-certificates';

/**
 * Creates an authority and one serving certificate that it signs. The private key of the authority
 * is never stored, and is dropped before the function returns. So the authority can never sign a
 * second certificate.
 *
 * Node's crypto creates keys and signatures, and `asn1js` encodes the fields of RFC 5280.
 */
export function issueCertificate({ dnsNames, validFrom, validUntil }: IssueOptions): Issued {
  const [authority, server] = [newKeys(), newKeys()];
  const authorityId = keyId(authority.publicKey);
  const valid = { validFrom, validUntil, signer: authority.privateKey };
  const extensions = [
    extension(KEY_USAGE, bits([0b1000_0000], 7), 'critical'), // signs handshakes
    extension(BASIC_CONSTRAINTS, sequence(), 'critical'),
    extension(EXTENDED_KEY_USAGE, sequence(objectId(SERVER_AUTHENTICATION))),
    extension(AUTHORITY_KEY_IDENTIFIER, sequence(tagged(0, authorityId))),
    extension(SUBJECT_ALTERNATIVE_NAME, sequence(...dnsNames.map(dnsName))),
  ];
  return {
    key: server.privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
    certificate: signed('chancery-gate', server.publicKey, extensions, valid),
    authority: signed(
      AUTHORITY_NAME,
      authority.publicKey,
      [
        // This authority must not sign further authorities.
        extension(
          BASIC_CONSTRAINTS,
          sequence(new Asn1Boolean({ value: true }), new Integer({ value: 0 })),
          'critical',
        ),
        extension(KEY_USAGE, bits([0b0000_0100], 2), 'critical'), // signs certificates
        extension(SUBJECT_KEY_IDENTIFIER, new OctetString({ valueHex: authorityId })),
      ],
      valid,
    ),
  };
}

interface Pair {
  readonly privateKey: KeyObject;
  readonly publicKey: KeyObject;
}

function newKeys(): Pair {
  return generateKeyPairSync('ec', { namedCurve: 'P-256' });
}

interface Signing {
  readonly signer: KeyObject;
  readonly validFrom: number;
  readonly validUntil: number;
}

function signed(
  subject: string,
  publicKey: KeyObject,
  extensions: readonly Sequence[],
  { signer, validFrom, validUntil }: Signing,
): string {
  const body = sequence(
    wrapped(0, new Integer({ value: VERSION_3 })),
    serialNumber(),
    sequence(objectId(ECDSA_WITH_SHA256)),
    nameOf(AUTHORITY_NAME),
    sequence(time(validFrom), time(validUntil)),
    nameOf(subject),
    fromBER(publicKey.export({ type: 'spki', format: 'der' })).result,
    wrapped(3, sequence(...extensions)),
  );
  const signature = sign('sha256', Buffer.from(body.toBER()), signer);
  const whole = sequence(
    body,
    sequence(objectId(ECDSA_WITH_SHA256)),
    new BitString({ valueHex: signature }),
  );
  const lines = Buffer.from(whole.toBER())
    .toString('base64')
    .match(/.{1,64}/g);
  return `-----BEGIN CERTIFICATE-----\n${lines?.join('\n')}\n-----END CERTIFICATE-----\n`;
}

/** A random serial number of 127 bits. It is positive and never 0. */
function serialNumber(): Integer {
  const bytes = randomBytes(16);
  bytes[0] = 0x40 | ((bytes[0] ?? 0) & 0x3f);
  return Integer.fromBigInt(`0x${bytes.toString('hex')}`);
}

function time(ms: number): UTCTime {
  const valueDate = new Date(ms);
  const isLong = valueDate.getUTCFullYear() >= FIRST_LONG_YEAR;
  return isLong ? new GeneralizedTime({ valueDate }) : new UTCTime({ valueDate });
}

/** A distinguished name with only a common name. */
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

/** A GeneralName of RFC 5280. `[2]` stands for a DNS name. */
function dnsName(name: string): Primitive {
  return tagged(2, Buffer.from(name));
}

function sequence(...value: BaseBlock[]): Sequence {
  return new Sequence({ value });
}

function objectId(value: string): ObjectIdentifier {
  return new ObjectIdentifier({ value });
}

/** @param unusedBits - number of unused bits at the end of the last byte. */
function bits(bytes: readonly number[], unusedBits: number): BitString {
  return new BitString({ valueHex: Uint8Array.from(bytes), unusedBits });
}

/** Encodes bytes with a tag that replaces the tag of their type. */
function tagged(tagNumber: number, valueHex: Uint8Array): Primitive {
  return new Primitive({ idBlock: { tagClass: CONTEXT_SPECIFIC, tagNumber }, valueHex });
}

/** Encodes a value with its own tag, within a second tag. */
function wrapped(tagNumber: number, value: BaseBlock): Constructed {
  return new Constructed({ idBlock: { tagClass: CONTEXT_SPECIFIC, tagNumber }, value: [value] });
}
