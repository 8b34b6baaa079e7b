/** The fixtures of the contract: hashes and names of variables, held to the values of the original. */
import { describe, expect, test } from 'vitest';
import {
  DELETED_HASH,
  EMPTY_HASH,
  hashOfConfigMap,
  hashOfProviderStatus,
  hashOfSecret,
} from '../../contract/hash.ts';
import { variableName } from '../../contract/variable-name.ts';

const base64 = (...bytes: number[]): string => Buffer.from(bytes).toString('base64');
const base64OfText = (text: string): string => Buffer.from(text).toString('base64');

describe('[reloader 8] hashes in the contract with the original operator', () => {
  test.each([
    ['fixture H1, a ConfigMap without data', hashOfConfigMap({}), EMPTY_HASH],
    ['fixture H1, a Secret without data', hashOfSecret({ data: null }), EMPTY_HASH],
    [
      'fixture H2, one entry',
      hashOfConfigMap({ data: { key: 'value' } }),
      'dc30e0faa89a70dec1033016a2309bbeb9efcbd0',
    ],
    [
      'fixture H3, two entries',
      hashOfConfigMap({ data: { b: '2', a: '1' } }),
      'f83e99e324ba68ccc373a58ef1eb42f8ab88646a',
    ],
    [
      'fixture H4, items that are sorted differently than their keys',
      hashOfConfigMap({ data: { a: '1', 'a-b': '2' } }),
      'c84ab684ba8b31449f333adb8a148da918699967',
    ],
    [
      'fixture H5, data and binaryData',
      hashOfConfigMap({ data: { k: 'v' }, binaryData: { bin: base64(0, 0xff, 0x10) } }),
      '5c3a6972f7dc1eed02ba6a6533cff832b2e4d748',
    ],
    [
      'fixture H6, a value of several lines',
      hashOfConfigMap({ data: { 'app.properties': 'x=1\ny=2\n' } }),
      'b303c6fa2becc709d55712e3e769dbab8bc85eb4',
    ],
    [
      'fixture H7, a value that looks like two entries',
      hashOfConfigMap({ data: { a: '1;b=2' } }),
      'f83e99e324ba68ccc373a58ef1eb42f8ab88646a',
    ],
    [
      'fixture H8, a value beyond ASCII',
      hashOfConfigMap({ data: { k: '\u00e9' } }),
      'ce314b01e2f69eef84b805badd8c8c4189c4c8a0',
    ],
    [
      'fixture H9, a Secret',
      hashOfSecret({ data: { user: base64OfText('admin'), password: base64OfText('p455w0rd') } }),
      '98e8484cebbac4d79c8ebfb7cf56dca572e76f6a',
    ],
    [
      'fixture H10, a Secret with bytes that are not text',
      hashOfSecret({ data: { 'tls.key': base64(0xff, 0xfe, 0) } }),
      '2e71815bb07a26c32acc4bb5718af7d85069734f',
    ],
    [
      'fixture H11, a Secret with an empty value',
      hashOfSecret({ data: { k: '' } }),
      'a2a640403bda81368faf0dd24c36f66cb0206460',
    ],
    [
      'fixture H12, the status of a CSI driver',
      hashOfProviderStatus({
        secretProviderClassName: 'my-spc',
        objects: [
          { id: 'secret/b', version: 'v2' },
          { id: 'secret/a', version: 'v1' },
        ],
      }),
      '9db46b71c8b6b05a2b23d4f972e3907fd51ab28f',
    ],
    ['fixture H13, a deletion', DELETED_HASH, 'aae45badef99284e4dae01d6046154ea9d99532f'],
    [
      'fixture H14, text that looks like base64',
      hashOfConfigMap({ data: { k: 'AP8Q' } }),
      '12f821e1f2a7708e34bb7c73add54af212b0ff3b',
    ],
    [
      'fixture H14, the same text as binaryData',
      hashOfConfigMap({ binaryData: { k: base64(0, 0xff, 0x10) } }),
      '12f821e1f2a7708e34bb7c73add54af212b0ff3b',
    ],
  ])('%s: the hash equals the hash of the original operator', (_, found, expected) => {
    expect(found).toBe(expected);
  });
});

describe('[reloader 7] names of variables in the contract with the original operator', () => {
  test.each([
    ['N1', 'CONFIGMAP', 'my.config-1', 'STAKATER_MY_CONFIG_1_CONFIGMAP'],
    ['N2', 'SECRET', 'app--cfg', 'STAKATER_APP_CFG_SECRET'],
    ['N3', 'CONFIGMAP', 'a-b', 'STAKATER_A_B_CONFIGMAP'],
    ['N4', 'CONFIGMAP', 'a.b', 'STAKATER_A_B_CONFIGMAP'],
    ['N5', 'CONFIGMAP', 'a.-.b', 'STAKATER_A_B_CONFIGMAP'],
    ['N6', 'CONFIGMAP', '-x', 'STAKATER_X_CONFIGMAP'],
    ['N7', 'CONFIGMAP', 'x-', 'STAKATER_X__CONFIGMAP'],
    ['N8', 'SECRET', '1abc', 'STAKATER_1ABC_SECRET'],
    ['N9', 'CONFIGMAP', 'kube-root-ca.crt', 'STAKATER_KUBE_ROOT_CA_CRT_CONFIGMAP'],
    ['N10', 'SECRETPROVIDERCLASS', 'my-spc', 'STAKATER_MY_SPC_SECRETPROVIDERCLASS'],
  ] as const)('%s: the variable of the %s %s has the same name as in the original operator', (_, type, name, expected) => {
    expect(variableName({ type, name })).toBe(expected);
  });
});
