-- Writes the file `told`: what Neovim shows of app.toml, and what it makes of it.
local told = {}
local function tell(line) table.insert(told, line) end
local function finish(status)
  vim.fn.writefile(told, 'told')
  vim.cmd(status == 0 and 'qall!' or 'cquit!')
end

local function wait(what, condition)
  if not vim.wait(240000, condition, 10) then
    tell('waited in vain for ' .. what)
    finish(1)
  end
end

local function faults() return vim.diagnostic.get(0) end

local function ask(method, line, column, more)
  local parameters = {
    textDocument = { uri = vim.uri_from_bufnr(0) },
    position = { line = line - 1, character = column },
  }
  local answers = vim.lsp.buf_request_sync(0, method, vim.tbl_extend('force', parameters, more or {}), 240000)
  for _, answer in pairs(answers or {}) do return answer.result end
end

local ok, problem = pcall(function()
  wait('a fault', function() return #faults() == 1 end)
  local first = faults()[1]
  tell(('fault in line %d: %s'):format(first.lnum + 1, first.message:match('[^\n]*')))

  local choices = {}
  for _, item in ipairs(ask('textDocument/completion', 5, #"until = 'state.to")) do
    if item.label == 'total' then table.insert(choices, item.label) end
  end
  tell('choices: ' .. table.concat(choices, ' '))

  vim.api.nvim_buf_set_lines(0, 4, 5, true, { "until = 'state.total > 3'" })
  wait('no fault', function() return #faults() == 0 end)
  tell('faults: ' .. #faults())

  local hover = ask('textDocument/hover', 5, #"until = 'state.to").contents.value
  tell('about total: ' .. hover:match('state[^\n]*'))

  vim.lsp.util.apply_workspace_edit(
    ask('textDocument/rename', 2, #'state = { to', { newName = 'sum' }), 'utf-16')
  vim.lsp.util.apply_text_edits(
    ask('textDocument/formatting', 1, 0, { options = { tabSize = 4, insertSpaces = true } }), 0, 'utf-16')
  for _, line in ipairs(vim.api.nvim_buf_get_lines(0, 3, -1, true)) do tell(line) end
end)
if not ok then tell(problem) end
finish(ok and 0 or 1)
