import { isIP } from 'node:net';
import type { StoredObject } from '../../objects/stored-object.ts';
import { type Check, each, fields, formed, isEmpty, itemsOf, oneOf } from '../fields/check.ts';
import { dnsLabel, dnsSubdomain } from '../fields/formats.ts';
import { invalidValue, type Problem, required, tooMany } from '../fields/problem.ts';
import { portNumber } from '../pods/probe.ts';

const address: Check = (value, field) =>
  isIP(String(value ?? '')) === 0
    ? [
        invalidValue(
          field,
          value ?? '',
          'must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)',
        ),
      ]
    : [];

const endpointPort: Check = fields({
  name: formed(dnsLabel),
  port: (value, field) => portNumber(value ?? 0, field),
  protocol: oneOf('SCTP', 'TCP', 'UDP'),
});

/** The older list of where a Service is. */
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

/** How many addresses and ports a slice takes. */
const MAX_ENDPOINTS = 1_000;

export function endpointSlice(slice: StoredObject): readonly Problem[] {
  const type = slice.addressType;
  const one: Check =
    type === 'FQDN'
      ? formed(dnsSubdomain)
      : (value, field) =>
          isIP(String(value)) === (type === 'IPv6' ? 6 : 4)
            ? []
            : [invalidValue(field, value, `must be a valid ${type} address`)];
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
