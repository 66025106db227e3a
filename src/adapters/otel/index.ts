/** @module planwright/otel */

export { createTelemetry, type TelemetryOptions } from "./telemetry.ts";
