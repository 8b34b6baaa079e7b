import { expect, test } from 'vitest';
import { scanIdentity } from '../../operator/stream/scan-identity.ts';

const METADATA = '"metadata":{"name":"a","uid":"u","resourceVersion":"1"}';

/** Where the metadata lie of an object that begins at 3 of more bytes, and whether its form comes first. */
function scanned(object: string, formed: boolean) {
  const bytes = Buffer.from(`xyz${object}xyz`);
  const found = scanIdentity(bytes, 3, bytes.length, formed);
  if (found === undefined) return undefined;
  const { metadataFrom, metadataTo, isFormFirst } = found;
  return { metadata: bytes.toString('utf8', metadataFrom, metadataTo), isFormFirst };
}

test.each([
  ['kind and apiVersion', `{"kind":"A","apiVersion":"v1",${METADATA},"spec":{}}`, true],
  ['apiVersion and kind', `{"apiVersion":"v1","kind":"A",${METADATA}}`, true],
  ['kind, with apiVersion after the metadata', `{"kind":"A",${METADATA},"apiVersion":"v1"}`, false],
  ['apiVersion, with kind after the metadata', `{"apiVersion":"v1",${METADATA},"kind":"A"}`, false],
  ['nothing, with both afterwards', `{${METADATA},"spec":{},"kind":"A","apiVersion":"v1"}`, false],
  ['three other members', `{"kind":"A","apiVersion":"v1","spec":{"x":1},${METADATA}}`, false],
  ['another member before kind', `{"spec":"ä","kind":"A","apiVersion":"v1",${METADATA}}`, false],
])('the scan finds the metadata of an object behind %s', (_, object, isFormFirst) => {
  expect(scanned(object, true)).toEqual({ metadata: METADATA, isFormFirst });
});

test.each([
  ['nothing', `{${METADATA},"data":{}}`, true],
  ['kind and apiVersion', `{"kind":"A","apiVersion":"v1",${METADATA}}`, true],
  ['another member', `{"data":{},${METADATA}}`, false],
])('the scan finds the metadata of a list item behind %s', (_, object, isFormFirst) => {
  expect(scanned(object, false)).toEqual({ metadata: METADATA, isFormFirst });
});

test('a scan keeps nothing of the object that was scanned before', () => {
  scanned(`{"spec":1,"kind":"A",${METADATA},"apiVersion":"v1"}`, true);
  scanned(`{"data":{},${METADATA}}`, false);

  expect(scanned(`{${METADATA}}`, false)).toEqual({ metadata: METADATA, isFormFirst: true });
  expect(scanned(`{"metadata":{"name":"a"}}`, false)).toBeUndefined();
});
