import { z } from "zod/v4";
import { defineTool } from "../../../../../../src/core/define-tool.ts";
import type { DefinedTool } from "../../../../../../src/core/tool.ts";
import { createCalculator } from "../../../../../../src/tools/calculator/calculator.ts";
import { createTodoStore } from "../../../../../../src/tools/todo-store/todo-store.ts";

const none = () => null as never;
const text = z.string();
const whole = z.int();
const number = z.number();
const yes = z.boolean();
const scalar = z.union([text, number, yes]);

const findContact = defineTool({
  name: "FindContact",
  description: "Looks a person up in the address book",
  inputSchema: z.object({ name: text.describe("Full name or first name") }),
  outputSchema: z.object({ email: text, phone: text, city: text }),
  result: "email",
  effect: "pure",
  execute: none,
});
const sendMail = defineTool({
  name: "SendMail",
  description: "Sends an e-mail",
  inputSchema: z.object({
    to: text.describe("E-mail address of the recipient"),
    subject: text,
    body: text,
    cc: z.array(text).optional().describe("E-mail addresses in copy"),
    urgent: yes.optional(),
  }),
  outputSchema: z.object({ messageId: text }),
  result: "messageId",
  effect: "once",
  execute: none,
});
const sendSms = defineTool({
  name: "SendSms",
  description: "Sends a text message to a phone",
  inputSchema: z.object({ phone: text, text: text.max(480) }),
  outputSchema: z.object({ messageId: text }),
  result: "messageId",
  effect: "once",
  execute: none,
});

const getForecast = defineTool({
  name: "get_forecast",
  description: "Weather forecast for a city",
  inputSchema: z.object({ city: text, days: whole.min(1).max(14).optional().describe("Default 1") }),
  outputSchema: z.object({ summary: text, high_c: number, low_c: number }),
  result: "summary",
  effect: "pure",
  execute: none,
});
const bookHotel = defineTool({
  name: "book_hotel",
  description: "Books a hotel room",
  inputSchema: z.object({
    city: text,
    check_in: z.iso.date().describe("YYYY-MM-DD"),
    nights: whole.min(1),
    guests: whole.min(1).optional(),
    breakfast: yes.optional(),
    notes: text.optional(),
  }),
  outputSchema: z.object({ booking_id: text, total: number, currency: text }),
  result: "booking_id",
  effect: "once",
  execute: none,
});
const convertCurrency = defineTool({
  name: "convert_currency",
  description: "Converts an amount at today's rate",
  inputSchema: z.object({ amount: number, from: text.length(3), to: text.length(3) }),
  outputSchema: z.object({ amount: number, rate: number }),
  result: "amount",
  effect: "pure",
  execute: none,
});
const searchFlights = defineTool({
  name: "search_flights",
  description: "Finds flights between two cities",
  inputSchema: z.object({
    origin: text,
    destination: text,
    date: z.iso.date(),
    cabin: z.enum(["economy", "premium", "business", "first"]).optional(),
    nonstop: yes.optional(),
    max_price: number.optional(),
  }),
  outputSchema: z.object({
    flights: z.array(z.object({ flight_id: text, airline: text, price: number })),
    count: whole,
    cheapest_id: text,
    cheapest_price: number,
  }),
  result: "cheapest_id",
  effect: "pure",
  execute: none,
});
const bookFlight = defineTool({
  name: "book_flight",
  description: "Books a flight that was found",
  inputSchema: z.object({
    flight_id: text,
    passengers: whole.min(1).max(9),
    seat: z.enum(["window", "aisle", "any"]).optional(),
  }),
  outputSchema: z.object({ confirmation: text, price: number }),
  result: "confirmation",
  effect: "once",
  execute: none,
});

const searchProducts = defineTool({
  name: "search_products",
  description: "Searches the catalogue",
  inputSchema: z.object({
    query: text.min(1),
    max_price: number.optional(),
    category: z.enum(["electronics", "books", "clothing", "home", "toys"]).optional(),
    in_stock: yes.optional(),
  }),
  outputSchema: z.object({
    products: z.array(z.object({ product_id: text, name: text, price: number })),
    count: whole,
    best_id: text,
  }),
  result: "best_id",
  effect: "pure",
  execute: none,
});
const getOrder = defineTool({
  name: "get_order",
  description: "Details of an order",
  inputSchema: z.object({ order_id: whole }),
  outputSchema: z.object({ status: text, total: number, customer_email: text, items: z.array(text) }),
  result: "status",
  effect: "pure",
  execute: none,
});
const refundOrder = defineTool({
  name: "refund_order",
  description: "Pays money back for an order",
  inputSchema: z.object({
    order_id: whole,
    amount: number.positive(),
    reason: z.enum(["damaged", "late", "wrong_item", "other"]).optional(),
    note: text.optional(),
  }),
  outputSchema: z.object({ refund_id: text }),
  result: "refund_id",
  effect: "once",
  execute: none,
});
const addToCart = defineTool({
  name: "add_to_cart",
  description: "Puts a product into the cart",
  inputSchema: z.object({ product_id: text, quantity: whole.min(1), gift_wrap: yes.optional() }),
  outputSchema: z.object({ cart_total: number, items: whole }),
  result: "cart_total",
  effect: "idempotent",
  execute: none,
});
const sendReceipt = defineTool({
  name: "send_receipt",
  description: "Mails the receipt of an order",
  inputSchema: z.object({ email: text, order_id: whole, language: text.optional() }),
  outputSchema: z.object({ sent: yes }),
  effect: "once",
  execute: none,
});

const setLight = defineTool({
  name: "SetLight",
  description: "Switches the light of a room",
  inputSchema: z.object({
    room: text,
    on: yes,
    brightness: whole.min(0).max(100).optional().describe("Percent"),
    color: text.min(1).optional(),
  }),
  outputSchema: z.object({ room: text, on: yes }),
  effect: "idempotent",
  execute: none,
});
const setThermostat = defineTool({
  name: "SetThermostat",
  description: "Sets the target temperature in °C",
  inputSchema: z.object({
    temperature: number.min(5).max(30),
    mode: z.enum(["heat", "cool", "auto", "off"]).optional(),
    room: text.optional(),
  }),
  outputSchema: z.object({ temperature: number }),
  result: "temperature",
  effect: "idempotent",
  execute: none,
});
const readSensor = defineTool({
  name: "ReadSensor",
  description: "Reads the sensor of a room",
  inputSchema: z.object({ room: text }),
  outputSchema: z.object({ temperature: number, humidity: number, motion: yes }),
  result: "temperature",
  effect: "pure",
  execute: none,
});
const playMusic = defineTool({
  name: "PlayMusic",
  description: "Plays an artist, album or playlist",
  inputSchema: z.object({
    query: text,
    room: text.optional(),
    volume: whole.min(0).max(100).optional(),
    shuffle: yes.optional(),
  }),
  outputSchema: z.object({ track: text }),
  result: "track",
  effect: "idempotent",
  execute: none,
});
const announce = defineTool({
  name: "Announce",
  description: "Speaks a message in some rooms",
  inputSchema: z.object({ message: text, rooms: z.array(text).min(1) }),
  outputSchema: z.object({ delivered: whole }),
  effect: "once",
  execute: none,
});

const createEvent = defineTool({
  name: "createEvent",
  description: "Puts an event into the calendar",
  inputSchema: z.object({
    title: text,
    start: text.describe("ISO 8601 local date and time, such as 2026-05-01T10:00"),
    durationMinutes: whole.min(5),
    attendees: z.array(text).optional(),
    location: text.optional(),
  }),
  outputSchema: z.object({ eventId: text, link: text }),
  result: "eventId",
  effect: "once",
  execute: none,
});
const listEvents = defineTool({
  name: "listEvents",
  description: "Events of a day",
  inputSchema: z.object({ date: z.iso.date(), calendar: z.enum(["work", "private", "shared"]).optional() }),
  outputSchema: z.object({
    events: z.array(z.object({ eventId: text, title: text, start: text })),
    count: whole,
    firstId: text,
  }),
  effect: "pure",
  execute: none,
});
const cancelEvent = defineTool({
  name: "cancelEvent",
  description: "Cancels an event",
  inputSchema: z.object({ eventId: text, notify: yes.optional() }),
  outputSchema: z.object({ cancelled: yes }),
  effect: "idempotent",
  execute: none,
});
const addReminder = defineTool({
  name: "addReminder",
  description: "Adds a reminder to an event",
  inputSchema: z.object({ eventId: text, minutesBefore: whole }),
  outputSchema: z.object({ reminderId: text }),
  result: "reminderId",
  effect: "idempotent",
  execute: none,
});

const readFile = defineTool({
  name: "read_file",
  description: "Reads a text file",
  inputSchema: z.object({ path: text }),
  outputSchema: z.object({ content: text, lines: whole }),
  result: "content",
  effect: "pure",
  execute: none,
});
const writeFile = defineTool({
  name: "write_file",
  description: "Writes a text file",
  inputSchema: z.object({
    path: text,
    content: text,
    append: yes.optional(),
    encoding: z.enum(["utf-8", "ascii", "latin-1"]).optional(),
  }),
  outputSchema: z.object({ path: text, bytes: whole }),
  result: "path",
  effect: "idempotent",
  execute: none,
});
const translateText = defineTool({
  name: "translate_text",
  description: "Translates a text",
  inputSchema: z.object({
    text,
    target_language: text.describe("Name of the language"),
    formal: yes.optional(),
  }),
  outputSchema: z.object({ translation: text }),
  result: "translation",
  effect: "pure",
  execute: none,
});
const summarizeText = defineTool({
  name: "summarize_text",
  description: "Summarizes a text",
  inputSchema: z.object({ text, max_words: whole.min(1).optional() }),
  outputSchema: z.object({ summary: text, words: whole }),
  result: "summary",
  effect: "pure",
  execute: none,
});

const getBalance = defineTool({
  name: "get_balance",
  description: "Balance of an account",
  inputSchema: z.object({ account: text }),
  outputSchema: z.object({ balance: number, currency: text }),
  result: "balance",
  effect: "pure",
  execute: none,
});
const transferMoney = defineTool({
  name: "transfer_money",
  description: "Transfers money between accounts",
  inputSchema: z.object({
    from_account: text,
    to_account: text,
    amount: number.positive(),
    memo: text.optional(),
    scheduled_for: z.iso.date().optional(),
  }),
  outputSchema: z.object({ transfer_id: text }),
  result: "transfer_id",
  effect: "once",
  execute: none,
});
const listTransactions = defineTool({
  name: "list_transactions",
  description: "Transactions of an account and their sum",
  inputSchema: z.object({
    account: text,
    limit: whole.min(1).max(500).optional(),
    category: z.enum(["groceries", "rent", "travel", "salary", "other"]).optional(),
    min_amount: number.optional(),
  }),
  outputSchema: z.object({
    transactions: z.array(z.object({ id: text, amount: number, text })),
    sum: number,
    count: whole,
  }),
  result: "sum",
  effect: "pure",
  execute: none,
});

const createTicket = defineTool({
  name: "create_ticket",
  description: "Opens a ticket",
  inputSchema: z.object({
    title: text.min(1),
    description: text.min(1).optional(),
    priority: z.enum(["LOW", "MEDIUM", "HIGH", "CRITICAL"]),
    labels: z.array(text).optional(),
    assignee_id: whole.optional(),
  }),
  outputSchema: z.object({ ticket_id: whole, url: text }),
  result: "ticket_id",
  effect: "once",
  execute: none,
});
const commentTicket = defineTool({
  name: "comment_ticket",
  description: "Adds a comment to a ticket",
  inputSchema: z.object({ ticket_id: whole, text }),
  outputSchema: z.object({ comment_id: whole }),
  result: "comment_id",
  effect: "once",
  execute: none,
});
const findUser = defineTool({
  name: "find_user",
  description: "Finds a colleague by name",
  inputSchema: z.object({ query: text }),
  outputSchema: z.object({ user_id: whole, name: text, team: text }),
  result: "user_id",
  effect: "pure",
  execute: none,
});
const assignTicket = defineTool({
  name: "assign_ticket",
  description: "Assigns a ticket to a user",
  inputSchema: z.object({ ticket_id: whole, user_id: whole }),
  outputSchema: z.object({ ok: yes }),
  effect: "idempotent",
  execute: none,
});
const closeTicket = defineTool({
  name: "close_ticket",
  description: "Closes a ticket",
  inputSchema: z.object({ ticket_id: whole, resolution: z.enum(["fixed", "wontfix", "duplicate"]) }),
  outputSchema: z.object({ ok: yes }),
  effect: "idempotent",
  execute: none,
});

const triangleArea = defineTool({
  name: "triangle_area",
  description: "Area of a triangle",
  inputSchema: z.object({ base: number, height: number, unit: text.min(1).optional() }),
  outputSchema: z.object({ area: number }),
  result: "area",
  effect: "pure",
  execute: none,
});
const circleArea = defineTool({
  name: "circle_area",
  description: "Area of a circle",
  inputSchema: z.object({ radius: number }),
  outputSchema: z.object({ area: number }),
  result: "area",
  effect: "pure",
  execute: none,
});
const mean = defineTool({
  name: "mean",
  description: "Arithmetic mean of numbers",
  inputSchema: z.object({ numbers: z.array(number).min(1) }),
  outputSchema: z.object({ mean: number }),
  result: "mean",
  effect: "pure",
  execute: none,
});
const convertUnit = defineTool({
  name: "convert_unit",
  description: "Converts a value between units",
  inputSchema: z.object({ value: number, from_unit: text, to_unit: text }),
  outputSchema: z.object({ value: number }),
  result: "value",
  effect: "pure",
  execute: none,
});

const runQuery = defineTool({
  name: "RunQuery",
  description: "Reads rows of a table",
  inputSchema: z.object({
    table: text,
    columns: z.array(text).optional(),
    where: z.object({ column: text, operator: z.enum(["=", "!=", "<", ">"]), value: scalar }).optional(),
    limit: whole.min(1).optional(),
  }),
  outputSchema: z.object({ rows: z.array(z.record(text, scalar)), rowCount: whole, lastUpdated: text }),
  result: "rowCount",
  effect: "pure",
  execute: none,
});
const setSetting = defineTool({
  name: "SetSetting",
  description: "Changes a setting of the app",
  inputSchema: z.object({ key: text, value: scalar }),
  outputSchema: z.object({ key: text, saved: yes }),
  effect: "idempotent",
  execute: none,
});
const postMessage = defineTool({
  name: "PostMessage",
  description: "Posts a message to a chat channel",
  inputSchema: z.object({ channel: text, message: text, threadId: text.optional() }),
  outputSchema: z.object({ messageId: text }),
  result: "messageId",
  effect: "once",
  execute: none,
});
const exportRows = defineTool({
  name: "ExportRows",
  description: "Writes rows to a file for download",
  inputSchema: z.object({
    rows: z.array(z.record(text, scalar)),
    filename: text,
    format: z.enum(["csv", "json", "xlsx"]).optional(),
  }),
  outputSchema: z.object({ url: text, bytes: whole }),
  result: "url",
  effect: "idempotent",
  execute: none,
});

const logMeal = defineTool({
  name: "LogMeal",
  description: "Records something eaten",
  inputSchema: z.object({
    food: text,
    grams: number.positive(),
    meal: z.enum(["breakfast", "lunch", "dinner", "snack"]),
  }),
  outputSchema: z.object({ calories: number }),
  result: "calories",
  effect: "once",
  execute: none,
});
const logWorkout = defineTool({
  name: "LogWorkout",
  description: "Records a workout",
  inputSchema: z.object({
    activity: text,
    minutes: whole.min(1),
    distanceKm: number.optional(),
    tags: z.array(text).optional(),
  }),
  outputSchema: z.object({ caloriesBurned: number }),
  result: "caloriesBurned",
  effect: "once",
  execute: none,
});
const getDailyStats = defineTool({
  name: "GetDailyStats",
  description: "Statistics of a day",
  inputSchema: z.object({ date: z.iso.date() }),
  outputSchema: z.object({ steps: whole, calories: number, weightKg: number }),
  effect: "pure",
  execute: none,
});
const setGoal = defineTool({
  name: "SetGoal",
  description: "Sets a daily goal",
  inputSchema: z.object({ metric: z.enum(["steps", "calories", "weight"]), target: number }),
  outputSchema: z.object({ metric: text, target: number }),
  effect: "idempotent",
  execute: none,
});

export const toolSets: Readonly<Record<string, readonly DefinedTool[]>> = {
  app: [createCalculator(), createTodoStore()],
  people: [findContact, sendMail, sendSms],
  travel: [getForecast, bookHotel, convertCurrency, searchFlights, bookFlight],
  shop: [searchProducts, getOrder, refundOrder, addToCart, sendReceipt],
  home: [setLight, setThermostat, readSensor, playMusic, announce],
  calendar: [createEvent, listEvents, cancelEvent, addReminder],
  docs: [readFile, writeFile, translateText, summarizeText],
  bank: [getBalance, transferMoney, listTransactions],
  tickets: [createTicket, commentTicket, findUser, assignTicket, closeTicket],
  geometry: [triangleArea, circleArea, mean, convertUnit],
  data: [runQuery, setSetting, postMessage, exportRows],
  fitness: [logMeal, logWorkout, getDailyStats, setGoal],
};
