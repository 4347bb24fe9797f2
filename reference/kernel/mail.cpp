// SPDX-License-Identifier: GPL-2.0-or-later
#include "reference/kernel/mail.hpp"

#include <algorithm>
#include <cctype>
#include <optional>
#include <string_view>

namespace elvcheck::kernel {

namespace {

using Lines = std::vector<NumberedLine>;

Lines lines_of(const std::string& content) {
  Lines lines;
  for (std::size_t at = 0; at < content.size();) {
    const std::size_t end = std::min(content.find('\n', at), content.size());
    std::string text = content.substr(at, end - at);
    if (text.ends_with('\r')) text.pop_back();
    lines.push_back({lines.size() + 1, std::move(text)});
    at = end + 1;
  }
  return lines;
}

std::string lower(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return text;
}

/// "Subject" out of "Subject: text"; empty if the line is no header.
std::string_view header_name(std::string_view line) {
  const std::size_t colon = line.find(':');
  if (colon == std::string_view::npos || colon == 0) return {};
  const std::string_view name = line.substr(0, colon);
  return std::all_of(name.begin(), name.end(), [](unsigned char c) { return std::isalnum(c) != 0 || c == '-'; })
             ? name
             : std::string_view();
}

int hex_digit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/// "=3D" to "="; `underscore` as in encoded words of a header (RFC 2047).
std::string unquote(std::string_view text, bool underscore) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool coded = text[i] == '=' && i + 2 < text.size() && hex_digit(text[i + 1]) >= 0 && hex_digit(text[i + 2]) >= 0;
    if (coded) {
      out += static_cast<char>(hex_digit(text[i + 1]) * 16 + hex_digit(text[i + 2]));
      i += 2;
    } else {
      out += underscore && text[i] == '_' ? ' ' : text[i];
    }
  }
  return out;
}

std::string decode_base64(std::string_view text) {
  constexpr std::string_view digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string out;
  unsigned bits = 0;
  unsigned held = 0;
  for (const char c : text) {
    const std::size_t digit = digits.find(c);
    if (digit == std::string_view::npos) continue;  // line ends and padding
    held = held << 6U | static_cast<unsigned>(digit);
    if ((bits += 6) < 8) continue;
    bits -= 8;
    out += static_cast<char>(held >> bits & 0xFFU);
  }
  return out;
}

/// Decodes "=?utf-8?q?...?=" and the base64 form.
std::string decode_words(const std::string& text) {
  std::string out;
  std::size_t at = 0;
  while (true) {
    const std::size_t begin = text.find("=?", at);
    const std::size_t charset = begin == std::string::npos ? begin : text.find('?', begin + 2);
    const std::size_t end = charset == std::string::npos ? charset : text.find("?=", charset + 3);
    if (end == std::string::npos || text[charset + 2] != '?') return out + text.substr(at);
    out += text.substr(at, begin - at);
    const std::string_view word = std::string_view(text).substr(charset + 3, end - charset - 3);
    out += std::tolower(static_cast<unsigned char>(text[charset + 1])) == 'b' ? decode_base64(word) : unquote(word, true);
    at = end + 2;
  }
}

struct Headers {
  std::string subject;
  std::string encoding;  ///< lower case
  std::string boundary;
};

/// Takes the headers at `at`, which goes behind the empty line that ends them.
Headers take_headers(const Lines& lines, std::size_t& at, std::size_t end) {
  Headers headers;
  std::string name;
  std::string value;
  const auto keep = [&] {
    if (name == "subject") headers.subject = decode_words(value);
    if (name == "content-transfer-encoding") headers.encoding = lower(value);
    if (name != "content-type") return;
    const std::size_t place = lower(value).find("boundary=");
    if (place == std::string::npos) return;
    const std::string rest = value.substr(place + 9);
    headers.boundary =
        rest.starts_with('"') ? rest.substr(1, rest.find('"', 1) - 1) : rest.substr(0, rest.find_first_of("; "));
  };
  for (; at < end && !lines[at].text.empty(); ++at) {
    const std::string& line = lines[at].text;
    if (line[0] == ' ' || line[0] == '\t') {
      value += " " + line.substr(std::min(line.find_first_not_of(" \t"), line.size()));
      continue;
    }
    keep();
    name = lower(std::string(header_name(line)));
    value = line.substr(std::min(line.find_first_not_of(' ', line.find(':') + 1), line.size()));
  }
  keep();
  if (at < end) ++at;
  return headers;
}

void add_decoded(const Lines& lines, std::size_t begin, std::size_t end, const std::string& encoding, Lines& body) {
  if (encoding == "base64") {
    std::string text;
    for (std::size_t i = begin; i < end; ++i) text += lines[i].text;
    for (NumberedLine& line : lines_of(decode_base64(text))) body.push_back({lines[begin].number, std::move(line.text)});
    return;
  }
  for (std::size_t i = begin; i < end; ++i) {
    NumberedLine line = lines[i];
    if (encoding == "quoted-printable") {
      while (line.text.ends_with('=') && i + 1 < end) {
        line.text.pop_back();
        line.text += lines[++i].text;
      }
      line.text = unquote(line.text, false);
    } else if (line.text.starts_with('>')) {
      const std::size_t quotes = line.text.find_first_not_of('>');
      if (quotes != std::string::npos && line.text.compare(quotes, 5, "From ") == 0)
        line.text.erase(0, 1);  // the mbox's own quoting
    }
    body.push_back(std::move(line));
  }
}

Mail read_mail(const Lines& lines, std::size_t at, std::size_t end) {
  Mail mail;
  const Headers headers = take_headers(lines, at, end);
  mail.subject = headers.subject;
  if (headers.boundary.empty()) {
    if (at < end) add_decoded(lines, at, end, headers.encoding, mail.body);
    return mail;
  }
  const std::string mark = "--" + headers.boundary;
  const auto next_mark = [&](std::size_t from) {
    while (from < end && !lines[from].text.starts_with(mark)) ++from;
    return from;
  };
  for (std::size_t part = next_mark(at); part < end && lines[part].text != mark + "--";) {
    std::size_t text = part + 1;
    const std::size_t stop = next_mark(text);
    const Headers of_part = take_headers(lines, text, stop);
    if (text < stop) add_decoded(lines, text, stop, of_part.encoding, mail.body);
    part = stop;
  }
  return mail;
}

/// Whether a mail begins at this line: "From " with headers after it.
bool begins_mail(const Lines& lines, std::size_t at) {
  return lines[at].text.starts_with("From ") && at + 1 < lines.size() && !header_name(lines[at + 1].text).empty() &&
         (at == 0 || lines[at - 1].text.empty());
}

/// A single mail without an mbox around it: headers with a subject at the top.
bool is_bare_mail(const Lines& lines) {
  for (const NumberedLine& line : lines) {
    if (line.text.starts_with("Subject:")) return true;
    if (line.text.empty() || (header_name(line.text).empty() && line.text[0] != ' ' && line.text[0] != '\t')) return false;
  }
  return false;
}

}  // namespace

std::vector<Mail> split_mails(const std::string& content) {
  const Lines lines = lines_of(content);
  std::vector<std::size_t> starts;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    if (begins_mail(lines, i)) starts.push_back(i);
  }
  if (starts.empty() && is_bare_mail(lines)) return {read_mail(lines, 0, lines.size())};
  if (starts.empty() || starts.front() != 0) return {Mail{"", lines}};
  std::vector<Mail> mails;
  for (std::size_t i = 0; i < starts.size(); ++i)
    mails.push_back(read_mail(lines, starts[i] + 1, i + 1 < starts.size() ? starts[i + 1] : lines.size()));
  return mails;
}

}  // namespace elvcheck::kernel
