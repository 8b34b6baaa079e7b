/** Every property runs as often as `PROPERTY_RUNS` says, unless it asks for a share. */
import fc from 'fast-check';
import { propertyRuns } from './property-runs.ts';

fc.configureGlobal({ ...fc.readConfigureGlobal(), ...propertyRuns() });
