/**
 * The operator of the example `website` without the old version of its resource. OLM would mount the key of a
 * conversion webhook into the operator, so a bundle of the example itself is refused.
 */
import { type Controller, source } from 'chancery';
import { websites } from '../../../../examples/website/definition.ts';
import example from '../../../../examples/website/operator.ts';

const { convert: _convert, conversions: _conversions, definition, ...resource } = websites;
const { conversion: _webhook, preserveUnknownFields: _none, versions, ...spec } = definition.spec;

const plain = Object.freeze({
  ...resource,
  definition: { ...definition, spec: { ...spec, versions: versions.slice(0, 1) } },
});

export const website: Controller = Object.freeze({ ...example, for: source(plain) });
