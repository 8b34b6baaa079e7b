import { isIP } from 'node:net';
import type { StoredObject } from '../../objects/stored-object.ts';
import {
  type Check,
  each,
  fields,
  firstOf,
  formed,
  isEmpty,
  itemsOf,
  oneOf,
} from '../fields/check.ts';
import { dnsLabel, dnsSubdomain } from '../fields/formats.ts';
import { ipAddress, isInNetwork } from '../fields/ip.ts';
import { invalidValue, type Problem, required, tooMany } from '../fields/problem.ts';
import { portNumber } from '../pods/probe.ts';

const address: Check = (value, field) => firstOf(ipAddress, reachable)(value ?? '', field);

/**
 * Ranges of addresses that an endpoint cannot have, in the order of the server's messages
 * (`ValidateEndpointIP`).
 */
const UNREACHABLE: Readonly<Record<string, readonly string[]>> = {
  'unspecified (ADDRESS)': ['0.0.0.0/32', '::/128'],
  'in the loopback range (127.0.0.0/8, ::1/128)': ['127.0.0.0/8', '::1/128'],
  'in the link-local range (169.254.0.0/16, fe80::/10)': ['169.254.0.0/16', 'fe80::/10'],
  'in the link-local multicast range (224.0.0.0/24, ff02::/10)': ['224.0.0.0/24', 'ff02::/16'],
};

function reachable(value: unknown, field: string): readonly Problem[] {
  return Object.entries(UNREACHABLE)
    .filter(([, networks]) => networks.some((one) => isInNetwork(String(value), one)))
    .map(([where]) =>
      invalidValue(field, value, `may not be ${where.replace('ADDRESS', String(value))}`),
    );
}

const endpointPort: Check = fields({
  name: formed(dnsLabel),
  port: (value, field) => portNumber(value ?? 0, field),
  protocol: oneOf('SCTP', 'TCP', 'UDP'),
});

/** The problems of an Endpoints object. */
export function endpoints({ subsets }: StoredObject): readonly Problem[] {
  const addresses = each(
    fields({ ip: address, hostname: formed(dnsLabel), nodeName: formed(dnsSubdomain) }),
  );
  return itemsOf(subsets).flatMap((subset, at) => {
    const field = `subsets[${at}]`;
    const nobody = isEmpty(subset.addresses) && isEmpty(subset.notReadyAddresses);
    const why = 'must specify `addresses` or `notReadyAddresses`';
    return [
      ...(nobody ? [required(field, why)] : []),
      ...fields({ addresses, notReadyAddresses: addresses, ports: each(endpointPort) })(
        subset,
        field,
      ),
    ];
  });
}

/** The maximum number of endpoints in a slice. */
const MAX_ENDPOINTS = 1_000;

export function endpointSlice(slice: StoredObject): readonly Problem[] {
  const type = slice.addressType;
  const one: Check =
    type === 'FQDN'
      ? formed(dnsSubdomain)
      : firstOf(ipAddress, (value, field) => {
          const isOfType = isIP(String(value)) === (type === 'IPv6' ? 6 : 4);
          // The server reports the path of the list, not the path of the address.
          const list = field.replace(/\[\d+\]$/, '');
          const other = isOfType ? [] : [invalidValue(list, value, `must be an ${type} address`)];
          return [...other, ...reachable(value, field)];
        });
  const list = itemsOf(slice.endpoints);
  if (list.length > MAX_ENDPOINTS) {
    return [tooMany('endpoints', list.length, MAX_ENDPOINTS)];
  }
  return [
    ...oneOf('FQDN', 'IPv4', 'IPv6')(type, 'addressType'),
    ...each(
      fields({
        addresses: (value, field) =>
          isEmpty(value)
            ? [required(field, 'must contain at least 1 address')]
            : each(one)(value, field),
        hostname: formed(dnsLabel),
        nodeName: formed(dnsSubdomain),
      }),
    )(slice.endpoints, 'endpoints'),
    ...each(fields({ name: formed(dnsLabel), protocol: oneOf('SCTP', 'TCP', 'UDP') }))(
      slice.ports,
      'ports',
    ),
  ];
}
