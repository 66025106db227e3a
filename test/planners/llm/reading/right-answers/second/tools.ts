import { z } from "zod/v4";
import { defineTool } from "../../../../../../src/core/define-tool.ts";
import type { DefinedTool } from "../../../../../../src/core/tool.ts";
import { createCalculator } from "../../../../../../src/tools/calculator/calculator.ts";
import { createTodoStore } from "../../../../../../src/tools/todo-store/todo-store.ts";

const none = () => null as never;
const currency = z.enum(["EUR", "USD", "GBP", "JPY", "CHF"]);
const account = z.enum(["checking", "savings", "business"]);
const room = z.enum(["living_room", "bedroom", "kitchen", "bathroom", "office"]);
const environment = z.enum(["dev", "staging", "production"]);
const weekday = z.enum(["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"]);
const clockTime = z.string().regex(/^([01]\d|2[0-3]):[0-5]\d$/);
const scalar = z.union([z.string(), z.number(), z.boolean()]);

const travel = [
  defineTool({
    name: "SearchFlights",
    description: "Finds the best flight between two cities on a day",
    inputSchema: z.object({
      from: z.string().min(1),
      to: z.string().min(1),
      date: z.iso.date(),
      passengers: z.int().min(1).max(9).optional(),
      cabin: z.enum(["economy", "premium_economy", "business", "first"]).optional(),
      nonstop: z.boolean().optional(),
    }),
    outputSchema: z.object({ flightId: z.string(), airline: z.string(), price: z.number() }),
    result: "flightId",
    effect: "pure",
    execute: none,
  }),
  defineTool({
    name: "BookFlight",
    description: "Books a flight that was found, for the named travellers",
    inputSchema: z.object({
      flightId: z.string().min(1),
      travellers: z.array(z.object({ firstName: z.string(), lastName: z.string() })).min(1),
      seat: z.enum(["window", "aisle", "middle"]).optional(),
      bags: z.int().min(0).optional(),
    }),
    outputSchema: z.object({ bookingCode: z.string(), total: z.number() }),
    result: "bookingCode",
    effect: "once",
    execute: none,
  }),
  defineTool({
    name: "BookHotel",
    description: "Books a hotel room in a city",
    inputSchema: z.object({
      city: z.string().min(1),
      checkIn: z.iso.date(),
      checkOut: z.iso.date(),
      guests: z.int().min(1),
      breakfast: z.boolean().optional(),
      remark: z.string().optional(),
    }),
    outputSchema: z.object({ confirmation: z.string(), total: z.number() }),
    result: "confirmation",
    effect: "once",
    execute: none,
  }),
  defineTool({
    name: "ConvertCurrency",
    description: "Converts an amount of money",
    inputSchema: z.object({ amount: z.number(), from: currency, to: currency }),
    outputSchema: z.object({ amount: z.number(), rate: z.number() }),
    result: "amount",
    effect: "pure",
    execute: none,
  }),
] as const;

const bank = [
  defineTool({
    name: "GetBalance",
    description: "Balance of one of the user's accounts",
    inputSchema: z.object({ account }),
    outputSchema: z.object({ balance: z.number(), currency: z.string() }),
    result: "balance",
    effect: "pure",
    execute: none,
  }),
  defineTool({
    name: "TransferMoney",
    description: "Moves money between two of the user's accounts",
    inputSchema: z.object({ from: account, to: account, amount: z.number().positive(), note: z.string().optional() }),
    outputSchema: z.object({ transferId: z.string(), newBalance: z.number() }),
    result: "transferId",
    effect: "once",
    execute: none,
  }),
  defineTool({
    name: "PayBill",
    description: "Pays a bill of a payee from the checking account",
    inputSchema: z.object({
      payee: z.string().min(1),
      amount: z.number().positive(),
      dueDate: z.iso.date().optional(),
      reference: z.string().optional(),
      recurring: z.boolean().optional(),
    }),
    outputSchema: z.object({ paymentId: z.string(), amount: z.number() }),
    result: "paymentId",
    effect: "once",
    execute: none,
  }),
  defineTool({
    name: "ListTransactions",
    description: "Transactions of an account",
    inputSchema: z.object({
      account,
      since: z.iso.date().optional(),
      limit: z.int().positive().optional(),
      kinds: z.array(z.enum(["debit", "credit", "fee"])).optional(),
    }),
    outputSchema: z.object({
      transactions: z.array(z.object({ id: z.string(), amount: z.number(), description: z.string() })),
      total: z.number(),
      count: z.int(),
    }),
    result: "transactions",
    effect: "pure",
    execute: none,
  }),
] as const;

const files = [
  defineTool({
    name: "ListFiles",
    description: "Paths of the files in a folder",
    inputSchema: z.object({
      folder: z.string().min(1),
      pattern: z.string().optional(),
      recursive: z.boolean().optional(),
    }),
    outputSchema: z.object({ paths: z.array(z.string()), count: z.int() }),
    result: "paths",
    effect: "pure",
    execute: none,
  }),
  defineTool({
    name: "ReadFile",
    description: "Text of a file",
    inputSchema: z.object({ path: z.string().min(1), encoding: z.enum(["utf-8", "latin1"]).optional() }),
    outputSchema: z.object({ content: z.string(), bytes: z.int() }),
    result: "content",
    effect: "pure",
    execute: none,
  }),
  defineTool({
    name: "WriteFile",
    description: "Writes text to a file",
    inputSchema: z.object({
      path: z.string().min(1),
      content: z.string(),
      mode: z.enum(["overwrite", "append"]).optional(),
    }),
    outputSchema: z.object({ path: z.string(), bytes: z.int() }),
    result: "path",
    effect: "idempotent",
    execute: none,
  }),
  defineTool({
    name: "ZipFiles",
    description: "Packs files into an archive",
    inputSchema: z.object({
      paths: z.array(z.string()).min(1),
      archive: z.string().min(1),
      level: z.int().min(0).max(9).optional(),
    }),
    outputSchema: z.object({ archive: z.string(), bytes: z.int() }),
    result: "archive",
    effect: "idempotent",
    execute: none,
  }),
] as const;

const music = [
  defineTool({
    name: "SearchTracks",
    description: "Finds tracks by words, artist or genre",
    inputSchema: z.object({
      query: z.string().min(1),
      genre: z.enum(["rock", "jazz", "pop", "classical", "hip_hop"]).optional(),
      limit: z.int().positive().optional(),
      explicit: z.boolean().optional(),
    }),
    outputSchema: z.object({ trackIds: z.array(z.string()), count: z.int() }),
    result: "trackIds",
    effect: "pure",
    execute: none,
  }),
  defineTool({
    name: "CreatePlaylist",
    description: "Creates an empty playlist",
    inputSchema: z.object({
      name: z.string().min(1),
      public: z.boolean().optional(),
      tags: z.array(z.string()).optional(),
    }),
    outputSchema: z.object({ playlistId: z.string(), url: z.string() }),
    result: "playlistId",
    effect: "once",
    execute: none,
  }),
  defineTool({
    name: "AddTracks",
    description: "Adds tracks to a playlist",
    inputSchema: z.object({
      playlistId: z.string().min(1),
      trackIds: z.array(z.string()).min(1),
      position: z.int().optional(),
    }),
    outputSchema: z.object({ added: z.int(), playlistId: z.string() }),
    result: "playlistId",
    effect: "idempotent",
    execute: none,
  }),
  defineTool({
    name: "SetVolume",
    description: "Sets the volume of a speaker in per cent",
    inputSchema: z.object({
      speaker: z.string().min(1),
      level: z.int().min(0).max(100),
      muted: z.boolean().optional(),
    }),
    outputSchema: z.object({ level: z.int() }),
    effect: "idempotent",
    execute: none,
  }),
] as const;

const hr = [
  defineTool({
    name: "FindEmployee",
    description: "Looks up an employee by name",
    inputSchema: z.object({
      name: z.string().min(1),
      department: z.enum(["engineering", "sales", "finance", "people"]).optional(),
    }),
    outputSchema: z.object({
      employeeId: z.string(),
      email: z.string(),
      vacationDays: z.number(),
      managerId: z.string(),
    }),
    result: "employeeId",
    effect: "pure",
    execute: none,
  }),
  defineTool({
    name: "RequestLeave",
    description: "Files a request for leave",
    inputSchema: z.object({
      employeeId: z.string().min(1),
      kind: z.enum(["vacation", "sick", "parental", "unpaid"]),
      start: z.iso.date(),
      end: z.iso.date(),
      halfDay: z.boolean().optional(),
      comment: z.string().optional(),
    }),
    outputSchema: z.object({ requestId: z.string(), days: z.number() }),
    result: "requestId",
    effect: "once",
    execute: none,
  }),
  defineTool({
    name: "NotifyEmployees",
    description: "Sends a short message to employees by email address",
    inputSchema: z.object({
      emails: z.array(z.string()).min(1),
      message: z.string().min(1),
      urgent: z.boolean().optional(),
    }),
    outputSchema: z.object({ sent: z.int() }),
    effect: "once",
    execute: none,
  }),
] as const;

const home = [
  defineTool({
    name: "SetThermostat",
    description: "Sets the target temperature of a room in degrees Celsius",
    inputSchema: z.object({
      room,
      celsius: z.number().min(5).max(30),
      mode: z.enum(["heat", "cool", "auto", "off"]).optional(),
    }),
    outputSchema: z.object({ celsius: z.number() }),
    effect: "idempotent",
    execute: none,
  }),
  defineTool({
    name: "SetLight",
    description: "Switches or dims the light of a room",
    inputSchema: z.object({
      room,
      on: z.boolean(),
      brightness: z.int().min(0).max(100).optional(),
      color: z.string().optional(),
    }),
    outputSchema: z.object({ on: z.boolean() }),
    effect: "idempotent",
    execute: none,
  }),
  defineTool({
    name: "ReadSensor",
    description: "Reads a sensor of a room",
    inputSchema: z.object({ room, sensor: z.enum(["temperature", "humidity", "co2"]) }),
    outputSchema: z.object({ value: z.number(), unit: z.string() }),
    result: "value",
    effect: "pure",
    execute: none,
  }),
  defineTool({
    name: "CreateRoutine",
    description: "Creates a routine that runs a scene at a time on some days",
    inputSchema: z.object({
      name: z.string().min(1),
      time: clockTime,
      days: z.array(weekday).min(1),
      enabled: z.boolean().optional(),
    }),
    outputSchema: z.object({ routineId: z.string() }),
    result: "routineId",
    effect: "once",
    execute: none,
  }),
] as const;

const crm = [
  defineTool({
    name: "FindContact",
    description: "Finds a contact by name and company",
    inputSchema: z.object({ name: z.string().min(1), company: z.string().optional() }),
    outputSchema: z.object({ contactId: z.string(), email: z.string(), phone: z.string() }),
    result: "contactId",
    effect: "pure",
    execute: none,
  }),
  defineTool({
    name: "CreateDeal",
    description: "Creates a deal for a contact",
    inputSchema: z.object({
      contactId: z.string().min(1),
      title: z.string().min(1),
      value: z.object({ amount: z.number(), currency }).optional(),
      stage: z.enum(["lead", "qualified", "proposal", "won", "lost"]).optional(),
      fields: z.record(z.string(), z.string()).optional(),
    }),
    outputSchema: z.object({ dealId: z.string(), url: z.string() }),
    result: "dealId",
    effect: "once",
    execute: none,
  }),
  defineTool({
    name: "LogActivity",
    description: "Logs a call, an email or a meeting with a contact",
    inputSchema: z.object({
      contactId: z.string().min(1),
      type: z.enum(["call", "email", "meeting"]),
      notes: z.string(),
      durationMinutes: z.int().positive().optional(),
    }),
    outputSchema: z.object({ activityId: z.string() }),
    result: "activityId",
    effect: "once",
    execute: none,
  }),
  defineTool({
    name: "SendMessage",
    description: "Sends a text to an address, by email or SMS",
    inputSchema: z.object({ to: z.string().min(1), channel: z.enum(["email", "sms"]), text: z.string().min(1) }),
    outputSchema: z.object({ messageId: z.string() }),
    result: "messageId",
    effect: "once",
    execute: none,
  }),
] as const;

const devops = [
  defineTool({
    name: "DeployService",
    description: "Deploys a version of a service",
    inputSchema: z.object({
      service: z.string().min(1),
      environment,
      version: z.string().min(1),
      replicas: z.int().positive().optional(),
      env: z.record(z.string(), z.string()).optional(),
      dryRun: z.boolean().optional(),
    }),
    outputSchema: z.object({ deploymentId: z.string(), url: z.string(), healthy: z.boolean() }),
    result: "deploymentId",
    effect: "once",
    execute: none,
  }),
  defineTool({
    name: "GetMetric",
    description: "Average and maximum of a metric of a service over the last minutes",
    inputSchema: z.object({
      service: z.string().min(1),
      metric: z.enum(["cpu", "memory", "latency_p95", "error_rate"]),
      minutes: z.int().positive(),
    }),
    outputSchema: z.object({ average: z.number(), maximum: z.number() }),
    result: "average",
    effect: "pure",
    execute: none,
  }),
  defineTool({
    name: "ScaleService",
    description: "Sets the number of replicas of a service",
    inputSchema: z.object({ service: z.string().min(1), environment, replicas: z.int().min(0) }),
    outputSchema: z.object({ replicas: z.int() }),
    result: "replicas",
    effect: "idempotent",
    execute: none,
  }),
  defineTool({
    name: "PostAlert",
    description: "Posts an alert to a channel",
    inputSchema: z.object({
      channel: z.string().min(1),
      message: z.string().min(1),
      severity: z.enum(["info", "warning", "critical"]),
    }),
    outputSchema: z.object({ alertId: z.string() }),
    result: "alertId",
    effect: "once",
    execute: none,
  }),
] as const;

const shop = [
  defineTool({
    name: "SearchProducts",
    description: "Finds products, the cheapest first",
    inputSchema: z.object({
      query: z.string().min(1),
      maxPrice: z.number().positive().optional(),
      category: z.enum(["books", "electronics", "garden", "toys"]).optional(),
      inStock: z.boolean().optional(),
    }),
    outputSchema: z.object({
      products: z.array(z.object({ sku: z.string(), name: z.string(), price: z.number() })),
      count: z.int(),
    }),
    result: "products",
    effect: "pure",
    execute: none,
  }),
  defineTool({
    name: "AddToCart",
    description: "Puts products into a new cart",
    inputSchema: z.object({
      items: z.array(z.object({ sku: z.string(), quantity: z.int().positive() })).min(1),
      coupon: z.string().optional(),
    }),
    outputSchema: z.object({ cartId: z.string(), total: z.number() }),
    result: "cartId",
    effect: "idempotent",
    execute: none,
  }),
  defineTool({
    name: "Checkout",
    description: "Orders what is in a cart",
    inputSchema: z.object({
      cartId: z.string().min(1),
      payment: z.enum(["card", "paypal", "invoice"]),
      address: z.object({ street: z.string(), city: z.string(), zip: z.string(), country: z.string().optional() }),
      gift: z.boolean().optional(),
    }),
    outputSchema: z.object({ orderId: z.string(), total: z.number() }),
    result: "orderId",
    effect: "once",
    execute: none,
  }),
] as const;

const data = [
  defineTool({
    name: "RunQuery",
    description: "Runs a read-only SQL query",
    inputSchema: z.object({ sql: z.string().min(1), parameters: z.array(scalar).optional() }),
    outputSchema: z.object({ rows: z.array(z.record(z.string(), z.unknown())), rowCount: z.int() }),
    result: "rows",
    effect: "pure",
    execute: none,
  }),
  defineTool({
    name: "SetVariable",
    description: "Keeps a value (text, number or boolean) under a name",
    inputSchema: z.object({ name: z.string().min(1), value: scalar }),
    outputSchema: z.object({ name: z.string() }),
    effect: "idempotent",
    execute: none,
  }),
  defineTool({
    name: "ComputeStatistic",
    description: "Computes a statistic of numbers",
    inputSchema: z.object({
      values: z.array(z.number()).min(1),
      statistic: z.enum(["mean", "median", "minimum", "maximum"]),
    }),
    outputSchema: z.object({ value: z.number() }),
    result: "value",
    effect: "pure",
    execute: none,
  }),
  defineTool({
    name: "DrawChart",
    description: "Draws rows as a chart",
    inputSchema: z.object({
      kind: z.enum(["bar", "line", "pie"]),
      title: z.string().min(1),
      rows: z.array(z.record(z.string(), z.unknown())),
      options: z.object({ legend: z.boolean().optional(), width: z.int().positive().optional() }).optional(),
    }),
    outputSchema: z.object({ url: z.string() }),
    result: "url",
    effect: "pure",
    execute: none,
  }),
] as const;

const calendar = [
  defineTool({
    name: "FindSlot",
    description: "Finds a time on a day at which all people are free",
    inputSchema: z.object({
      people: z.array(z.string()).min(1),
      date: z.iso.date(),
      durationMinutes: z.int().positive(),
    }),
    outputSchema: z.object({ time: z.string(), location: z.string() }),
    result: "time",
    effect: "pure",
    execute: none,
  }),
  defineTool({
    name: "CreateEvent",
    description: "Creates an event in the calendar",
    inputSchema: z.object({
      title: z.string().min(1),
      date: z.iso.date(),
      time: clockTime,
      durationMinutes: z.int().positive().optional(),
      people: z.array(z.string()).optional(),
      location: z.string().optional(),
      private: z.boolean().optional(),
      reminders: z.array(z.int().min(0)).optional(),
    }),
    outputSchema: z.object({ eventId: z.string(), link: z.string() }),
    result: "eventId",
    effect: "once",
    execute: none,
  }),
  defineTool({
    name: "CancelEvent",
    description: "Cancels an event",
    inputSchema: z.object({ eventId: z.string().min(1), notify: z.boolean().optional() }),
    outputSchema: z.object({ cancelled: z.boolean() }),
    effect: "idempotent",
    execute: none,
  }),
] as const;

const weather = [
  defineTool({
    name: "get_forecast",
    description: "Forecast for a city on a day",
    inputSchema: z.object({
      city: z.string().min(1),
      date: z.iso.date().optional(),
      units: z.enum(["metric", "imperial"]).optional(),
    }),
    outputSchema: z.object({ temperature: z.number(), summary: z.string(), rain: z.boolean() }),
    result: "summary",
    effect: "pure",
    execute: none,
  }),
  defineTool({
    name: "convert_temperature",
    description: "Converts a temperature",
    inputSchema: z.object({
      degrees: z.number(),
      from: z.enum(["celsius", "fahrenheit", "kelvin"]),
      to: z.enum(["celsius", "fahrenheit", "kelvin"]),
    }),
    outputSchema: z.object({ degrees: z.number() }),
    result: "degrees",
    effect: "pure",
    execute: none,
  }),
  defineTool({
    name: "send_report",
    description: "Sends a text to a recipient",
    inputSchema: z.object({
      recipient: z.string().min(1),
      text: z.string().min(1),
      cc: z.array(z.string()).optional(),
    }),
    outputSchema: z.object({ messageId: z.string() }),
    result: "messageId",
    effect: "once",
    execute: none,
  }),
] as const;

export const toolSets: Readonly<Record<string, readonly DefinedTool[]>> = {
  app: [createCalculator(), createTodoStore()],
  travel,
  bank,
  files,
  music,
  hr,
  home,
  crm,
  devops,
  shop,
  data,
  calendar,
  weather,
};
