import { z } from "zod/v4";
import { defineTool } from "../../../../../../src/core/define-tool.ts";
import type { DefinedTool } from "../../../../../../src/core/tool.ts";
import { createCalculator } from "../../../../../../src/tools/calculator/calculator.ts";
import { createTodoStore } from "../../../../../../src/tools/todo-store/todo-store.ts";

const none = () => null as never;
const text = z.string().min(1);
const time = z.string().regex(/^\d\d:\d\d$/);

// restaurant
const bookTable = defineTool({
  name: "BookTable",
  description: "Books a table in the restaurant",
  inputSchema: z.object({
    guest: text.describe("Name of the guest"),
    people: z.int().min(1).max(40),
    date: z.iso.date(),
    time: time.describe("HH:MM"),
    area: z.enum(["indoor", "terrace", "bar"]).optional(),
    highChair: z.boolean().optional(),
  }),
  outputSchema: z.object({ bookingId: z.string(), table: z.int() }),
  result: "bookingId",
  effect: "once",
  execute: none,
});
const searchMenu = defineTool({
  name: "SearchMenu",
  description: "Finds dishes on the menu",
  inputSchema: z.object({
    query: z.string().optional(),
    maxPrice: z.number().optional(),
    diets: z.array(z.enum(["vegan", "vegetarian", "gluten_free", "halal"])).optional(),
  }),
  outputSchema: z.object({ dishes: z.array(z.object({ name: z.string(), price: z.number() })), count: z.int() }),
  effect: "pure",
  execute: none,
});
const placeOrder = defineTool({
  name: "PlaceOrder",
  description: "Sends an order of a table to the kitchen",
  inputSchema: z.object({
    table: z.int(),
    items: z.array(z.object({ dish: text, quantity: z.int().min(1) })).min(1),
    note: z.string().optional(),
  }),
  outputSchema: z.object({ orderId: z.string(), total: z.number() }),
  effect: "once",
  execute: none,
});
const splitBill = defineTool({
  name: "SplitBill",
  description: "Tells what each person pays",
  inputSchema: z.object({ amount: z.number(), people: z.int().min(1), tipPercent: z.number().optional() }),
  outputSchema: z.object({ perPerson: z.number() }),
  result: "perPerson",
  effect: "pure",
  execute: none,
});
const sendSms = defineTool({
  name: "SendSms",
  description: "Sends a text message to a phone number",
  inputSchema: z.object({ to: text.describe("Phone number"), text }),
  outputSchema: z.object({ sent: z.boolean() }),
  effect: "once",
  execute: none,
});

// hospital
const findPatient = defineTool({
  name: "FindPatient",
  description: "Finds a patient by name",
  inputSchema: z.object({ name: text, birthDate: z.iso.date().optional() }),
  outputSchema: z.object({ patientId: z.string(), ward: z.string(), age: z.int() }),
  result: "patientId",
  effect: "pure",
  execute: none,
});
const scheduleAppointment = defineTool({
  name: "ScheduleAppointment",
  description: "Schedules an appointment of a patient in a department",
  inputSchema: z.object({
    patientId: text,
    department: z.enum(["cardiology", "radiology", "orthopedics", "pediatrics"]),
    date: z.iso.date(),
    durationMinutes: z.int().optional(),
    urgent: z.boolean().optional(),
  }),
  outputSchema: z.object({ appointmentId: z.string(), room: z.string() }),
  result: "appointmentId",
  effect: "once",
  execute: none,
});
const recordVitals = defineTool({
  name: "RecordVitals",
  description: "Records vital signs of a patient",
  inputSchema: z.object({
    patientId: text,
    vitals: z.object({
      pulse: z.int().optional(),
      temperature: z.number().optional().describe("Degrees Celsius"),
      systolic: z.int().optional(),
      diastolic: z.int().optional(),
    }),
  }),
  outputSchema: z.object({ recordId: z.string(), alerts: z.array(z.string()) }),
  effect: "idempotent",
  execute: none,
});
const notifyStaff = defineTool({
  name: "NotifyStaff",
  description: "Sends a message to the staff on duty",
  inputSchema: z.object({ role: z.enum(["nurse", "doctor", "porter"]), message: text }),
  outputSchema: z.object({ messageId: z.string() }),
  effect: "once",
  execute: none,
});

// library
const searchBooks = defineTool({
  name: "search_books",
  description: "Searches the catalogue of the library",
  inputSchema: z.object({
    title: text.optional(),
    author: text.optional(),
    language: z.enum(["en", "de", "fr"]).optional(),
    available_only: z.boolean().optional(),
  }),
  outputSchema: z.object({
    books: z.array(z.object({ isbn: z.string(), title: z.string(), year: z.int() })),
    total: z.int(),
  }),
  effect: "pure",
  execute: none,
});
const reserveBook = defineTool({
  name: "reserve_book",
  description: "Reserves a book for a member",
  inputSchema: z.object({ isbn: text, member: text, until: z.iso.date().optional() }),
  outputSchema: z.object({ reservation_id: z.string(), position: z.int() }),
  result: "reservation_id",
  effect: "idempotent",
  execute: none,
});
const extendLoan = defineTool({
  name: "extend_loan",
  description: "Extends a loan by some days",
  inputSchema: z.object({ loan_id: text, days: z.int().min(1).max(60) }),
  outputSchema: z.object({ due_date: z.string(), fee: z.number() }),
  effect: "idempotent",
  execute: none,
});
const payFee = defineTool({
  name: "pay_fee",
  description: "Charges a fee to the account of a member",
  inputSchema: z.object({ member: text, amount: z.number() }),
  outputSchema: z.object({ receipt: z.string() }),
  result: "receipt",
  effect: "once",
  execute: none,
});

// logistics
const place = z.object({ city: text, country: text.optional() });
const createShipment = defineTool({
  name: "CreateShipment",
  description: "Creates a shipment and orders its pick-up",
  inputSchema: z.object({
    from: place,
    to: place,
    parcels: z.array(z.object({ weightKg: z.number(), fragile: z.boolean().optional() })).min(1),
    service: z.enum(["STANDARD", "EXPRESS", "OVERNIGHT"]),
  }),
  outputSchema: z.object({ trackingNumber: z.string(), cost: z.number() }),
  result: "trackingNumber",
  effect: "once",
  execute: none,
});
const trackShipment = defineTool({
  name: "TrackShipment",
  description: "Tells where a shipment is",
  inputSchema: z.object({ trackingNumber: text }),
  outputSchema: z.object({
    status: z.string(),
    location: z.object({ city: z.string(), country: z.string() }),
    delayedHours: z.number(),
  }),
  result: "status",
  effect: "pure",
  execute: none,
});
const setCustoms = defineTool({
  name: "SetCustoms",
  description: "Sets the customs declaration of a shipment",
  inputSchema: z.object({
    trackingNumber: text,
    declaredValue: z.number().describe("Euros"),
    labels: z.record(z.string(), z.string()).optional(),
  }),
  outputSchema: z.object({ declarationId: z.string(), duty: z.number() }),
  effect: "idempotent",
  execute: none,
});
const notifyCustomer = defineTool({
  name: "NotifyCustomer",
  description: "Sends a message to a customer",
  inputSchema: z.object({ channel: z.enum(["email", "sms", "push"]), recipient: text, message: text }),
  outputSchema: z.object({ messageId: z.string() }),
  effect: "once",
  execute: none,
});

// github
const createIssue = defineTool({
  name: "create_issue",
  description: "Opens an issue in a repository",
  inputSchema: z.object({
    repo: text.describe("owner/name"),
    title: text,
    body: z.string().optional(),
    labels: z.array(z.string()).optional(),
    assignees: z.array(z.string()).optional(),
  }),
  outputSchema: z.object({ number: z.int(), url: z.string() }),
  result: "url",
  effect: "once",
  execute: none,
});
const addComment = defineTool({
  name: "add_comment",
  description: "Comments on an issue or a pull request",
  inputSchema: z.object({ repo: text, issue_number: z.int(), body: text }),
  outputSchema: z.object({ comment_id: z.int() }),
  effect: "once",
  execute: none,
});
const listPullRequests = defineTool({
  name: "list_pull_requests",
  description: "Lists the pull requests of a repository",
  inputSchema: z.object({
    repo: text,
    state: z.enum(["open", "closed", "all"]).optional(),
    limit: z.int().optional(),
  }),
  outputSchema: z.object({
    pull_requests: z.array(z.object({ number: z.int(), title: z.string(), author: z.string() })),
    count: z.int(),
  }),
  effect: "pure",
  execute: none,
});
const mergePullRequest = defineTool({
  name: "merge_pull_request",
  description: "Merges a pull request",
  inputSchema: z.object({
    repo: text,
    number: z.int(),
    method: z.enum(["merge", "squash", "rebase"]).optional(),
    delete_branch: z.boolean().optional(),
  }),
  outputSchema: z.object({ sha: z.string(), merged: z.boolean() }),
  result: "sha",
  effect: "once",
  execute: none,
});

// spreadsheet
const readRange = defineTool({
  name: "readRange",
  description: "Reads the numbers of a range",
  inputSchema: z.object({ sheet: text, range: text.describe("for example A1:B9") }),
  outputSchema: z.object({ values: z.array(z.number()), rows: z.int() }),
  result: "values",
  effect: "pure",
  execute: none,
});
const sumValues = defineTool({
  name: "sumValues",
  description: "Adds up numbers",
  inputSchema: z.object({ values: z.array(z.number()) }),
  outputSchema: z.object({ sum: z.number() }),
  result: "sum",
  effect: "pure",
  execute: none,
});
const writeCell = defineTool({
  name: "writeCell",
  description: "Writes a value into a cell",
  inputSchema: z.object({ sheet: text, cell: text, value: z.union([z.string(), z.number(), z.boolean()]) }),
  outputSchema: z.object({ cell: z.string() }),
  effect: "idempotent",
  execute: none,
});
const addRow = defineTool({
  name: "addRow",
  description: "Appends a row: a value for each column",
  inputSchema: z.object({ sheet: text, row: z.record(z.string(), z.union([z.string(), z.number()])) }),
  outputSchema: z.object({ rowNumber: z.int() }),
  result: "rowNumber",
  effect: "once",
  execute: none,
});
const formatCells = defineTool({
  name: "formatCells",
  description: "Formats a range of cells",
  inputSchema: z.object({
    sheet: text,
    range: text,
    style: z.enum(["currency", "percent", "plain"]).optional(),
    decimals: z.int().optional(),
    bold: z.boolean().optional(),
  }),
  outputSchema: z.object({ cells: z.int() }),
  effect: "idempotent",
  execute: none,
});

// video
const uploadVideo = defineTool({
  name: "UploadVideo",
  description: "Uploads a video file",
  inputSchema: z.object({
    file: text,
    title: text,
    visibility: z.enum(["public", "unlisted", "private"]).optional(),
    tags: z.array(z.string()).optional(),
    ageRestricted: z.boolean().optional(),
  }),
  outputSchema: z.object({ videoId: z.string(), url: z.string(), durationSeconds: z.number() }),
  result: "videoId",
  effect: "once",
  execute: none,
});
const trimVideo = defineTool({
  name: "TrimVideo",
  description: "Cuts a video to a part of it",
  inputSchema: z.object({ videoId: text, startSeconds: z.number(), endSeconds: z.number() }),
  outputSchema: z.object({ videoId: z.string(), durationSeconds: z.number() }),
  result: "videoId",
  effect: "idempotent",
  execute: none,
});
const addSubtitles = defineTool({
  name: "AddSubtitles",
  description: "Adds subtitles to a video",
  inputSchema: z.object({
    videoId: text,
    language: z.enum(["en", "es", "de", "ja"]),
    autoTranslate: z.boolean().optional(),
  }),
  outputSchema: z.object({ trackId: z.string() }),
  effect: "idempotent",
  execute: none,
});
const createPlaylist = defineTool({
  name: "CreatePlaylist",
  description: "Creates a playlist of videos",
  inputSchema: z.object({ name: text, videoIds: z.array(text) }),
  outputSchema: z.object({ playlistId: z.string(), count: z.int() }),
  result: "playlistId",
  effect: "once",
  execute: none,
});

// car
const setClimate = defineTool({
  name: "set_climate",
  description: "Sets the temperature in the car",
  inputSchema: z.object({
    temperature: z.number().min(15).max(30).describe("Degrees Celsius"),
    zone: z.enum(["driver", "passenger", "rear", "all"]).optional(),
    fan_speed: z.int().min(1).max(5).optional(),
  }),
  outputSchema: z.object({ temperature: z.number() }),
  effect: "idempotent",
  execute: none,
});
const navigateTo = defineTool({
  name: "navigate_to",
  description: "Starts the navigation",
  inputSchema: z.object({
    destination: text,
    via: z.array(text).optional(),
    avoid: z.array(z.enum(["tolls", "highways", "ferries"])).optional(),
  }),
  outputSchema: z.object({ eta_minutes: z.number(), distance_km: z.number() }),
  result: "eta_minutes",
  effect: "idempotent",
  execute: none,
});
const lockDoors = defineTool({
  name: "lock_doors",
  description: "Locks or unlocks the doors",
  inputSchema: z.object({ locked: z.boolean() }),
  outputSchema: z.object({ locked: z.boolean() }),
  effect: "idempotent",
  execute: none,
});
const batteryStatus = defineTool({
  name: "battery_status",
  description: "State of the battery",
  inputSchema: z.object({}),
  outputSchema: z.object({ percent: z.number(), range_km: z.number() }),
  result: "percent",
  effect: "pure",
  execute: none,
});
const sendMessage = defineTool({
  name: "send_message",
  description: "Sends a message to a contact",
  inputSchema: z.object({ contact: text, text }),
  outputSchema: z.object({ delivered: z.boolean() }),
  effect: "once",
  execute: none,
});

// school
const findStudent = defineTool({
  name: "FindStudent",
  description: "Finds a student by name",
  inputSchema: z.object({ name: text, year: z.int().optional() }),
  outputSchema: z.object({ studentId: z.string(), email: z.string(), parentEmails: z.array(z.string()) }),
  result: "studentId",
  effect: "pure",
  execute: none,
});
const recordGrade = defineTool({
  name: "RecordGrade",
  description: "Records the points of a student in a subject",
  inputSchema: z.object({
    studentId: text,
    subject: z.enum(["MATH", "ENGLISH", "HISTORY", "SCIENCE"]),
    points: z.number().min(0).max(100),
    comment: text.optional(),
  }),
  outputSchema: z.object({ average: z.number(), passed: z.boolean() }),
  effect: "idempotent",
  execute: none,
});
const sendEmail = defineTool({
  name: "SendEmail",
  description: "Sends an e-mail",
  inputSchema: z.object({ to: z.array(text).min(1), subject: text, body: z.string().optional() }),
  outputSchema: z.object({ messageId: z.string() }),
  effect: "once",
  execute: none,
});
const scheduleExam = defineTool({
  name: "ScheduleExam",
  description: "Schedules an exam",
  inputSchema: z.object({
    subject: z.enum(["MATH", "ENGLISH", "HISTORY", "SCIENCE"]),
    date: z.iso.date(),
    durationMinutes: z.int(),
    room: text.optional(),
  }),
  outputSchema: z.object({ examId: z.string() }),
  result: "examId",
  effect: "once",
  execute: none,
});

// realestate
const searchListings = defineTool({
  name: "SearchListings",
  description: "Finds homes for sale",
  inputSchema: z.object({
    city: text,
    type: z.enum(["house", "apartment"]).optional(),
    maxPrice: z.number().optional(),
    bedrooms: z.int().optional(),
    features: z.array(z.enum(["garden", "garage", "balcony", "pool"])).optional(),
  }),
  outputSchema: z.object({
    listings: z.array(z.object({ id: z.string(), address: z.string(), price: z.number() })),
    count: z.int(),
  }),
  effect: "pure",
  execute: none,
});
const getListing = defineTool({
  name: "GetListing",
  description: "Details of a home for sale",
  inputSchema: z.object({ listingId: text }),
  outputSchema: z.object({
    address: z.string(),
    price: z.number(),
    agent: z.object({ name: z.string(), phone: z.string() }),
  }),
  effect: "pure",
  execute: none,
});
const scheduleViewing = defineTool({
  name: "ScheduleViewing",
  description: "Schedules a viewing of a home",
  inputSchema: z.object({
    listingId: text,
    client: z.object({ name: text, phone: text.optional() }),
    date: z.iso.date(),
    time,
  }),
  outputSchema: z.object({ viewingId: z.string(), confirmed: z.boolean() }),
  result: "viewingId",
  effect: "once",
  execute: none,
});
const mortgagePayment = defineTool({
  name: "MortgagePayment",
  description: "Monthly payment of a mortgage",
  inputSchema: z.object({
    price: z.number(),
    downPayment: z.number().optional(),
    years: z.int(),
    ratePercent: z.number(),
  }),
  outputSchema: z.object({ monthly: z.number() }),
  result: "monthly",
  effect: "pure",
  execute: none,
});
const saveNote = defineTool({
  name: "SaveNote",
  description: "Saves a note under a subject",
  inputSchema: z.object({ subject: text, content: z.union([z.string(), z.number(), z.array(z.string())]) }),
  outputSchema: z.object({ noteId: z.string() }),
  effect: "idempotent",
  execute: none,
});

export const toolSets: Readonly<Record<string, readonly DefinedTool[]>> = {
  app: [createCalculator(), createTodoStore()] as unknown as DefinedTool[],
  restaurant: [bookTable, searchMenu, placeOrder, splitBill, sendSms] as unknown as DefinedTool[],
  hospital: [findPatient, scheduleAppointment, recordVitals, notifyStaff] as unknown as DefinedTool[],
  library: [searchBooks, reserveBook, extendLoan, payFee] as unknown as DefinedTool[],
  logistics: [createShipment, trackShipment, setCustoms, notifyCustomer] as unknown as DefinedTool[],
  github: [createIssue, addComment, listPullRequests, mergePullRequest] as unknown as DefinedTool[],
  spreadsheet: [readRange, sumValues, writeCell, addRow, formatCells] as unknown as DefinedTool[],
  video: [uploadVideo, trimVideo, addSubtitles, createPlaylist] as unknown as DefinedTool[],
  car: [setClimate, navigateTo, lockDoors, batteryStatus, sendMessage] as unknown as DefinedTool[],
  school: [findStudent, recordGrade, sendEmail, scheduleExam] as unknown as DefinedTool[],
  realestate: [searchListings, getListing, scheduleViewing, mortgagePayment, saveNote] as unknown as DefinedTool[],
};
