// SPDX-License-Identifier: GPL-2.0-or-later
// Patches as they travel: plain diffs, files of git format-patch, mboxes with a thread in them. The texts are made up here
// on a tree of three lines; what must come out is written beside them.
#include "reference/kernel/patch.hpp"

#include <zlib.h>

#include "properties/case_file.hpp"
#include "reference/kernel/mail.hpp"
#include "tests/reference/kernel/support.hpp"

namespace elvcheck::kernel {
namespace {

using Names = std::vector<std::string>;

/// A hunk that changes one of the three lines.
std::string diff_of(const std::string& from, const std::string& to, const std::string& folders = "") {
  return "--- a/" + folders + "block/elevator.c\n+++ b/" + folders + "block/elevator.c\n@@ -1,3 +1,3 @@\n int one;\n-int " +
         from + ";\n+int " + to + ";\n int three;\n";
}

std::string mail(const std::string& subject, const std::string& body, const std::string& headers = "") {
  return "From 0123456789abcdef Mon Sep 17 00:00:00 2001\nFrom: A Developer <a@example.org>\nSubject: " + subject + "\n" +
         headers + "\n" + body + "-- \n2.39.2\n\n";
}

class Patch : public testing::Test {
 protected:
  Patch() { write_small_tree(folder); }

  PatchedTree apply(const Names& files) {
    return apply_patches(open_tree(folder.path(), test_cache()), files, test_cache());
  }
  PatchedTree apply_text(const std::string& text) { return apply({folder.write("given.patch", text)}); }
  std::string error_of(const std::string& text) {
    const std::string message = message_of([&] { apply_text(text); });
    const std::string name = (folder.path() / "given.patch").string();
    return message.starts_with(name) ? message.substr(name.size()) : message;
  }
  static std::string file(const PatchedTree& patched) { return read_file(patched.tree.root / "block/elevator.c"); }

  TemporaryFolder folder;
};

TEST_F(Patch, AppliesInOrderToACopy) {
  const auto first = folder.write("1.patch", diff_of("two", "zwei"));
  const auto second = folder.write(
      "2.patch", diff_of("zwei", "deux") + "--- a/Documentation/x.rst\n+++ b/Documentation/x.rst\n@@ -1 +1 @@\n-a\n+b\n");
  const PatchedTree patched = apply({first, second});
  EXPECT_EQ(file(patched), "int one;\nint deux;\nint three;\n");
  EXPECT_EQ(read_file(folder.path() / "block/elevator.c"), "int one;\nint two;\nint three;\n");
  EXPECT_EQ(patched.changed, Names{"block/elevator.c"});
  EXPECT_EQ(patched.left_out, Names{"Documentation/x.rst"});
  EXPECT_NE(patched.tree.content, open_tree(folder.path(), test_cache()).content);
  EXPECT_EQ(apply({first, second}).tree.root, patched.tree.root) << "kept by content";
}

TEST_F(Patch, AThreadIsPutInOrder) {
  const PatchedTree patched = apply_text(
      mail("[PATCH v2 0/2] block: a cover letter", "Two changes.\n\n block/elevator.c | 2 +-\n\n") +
      mail("[PATCH v2 2/2] block: second", "---\n\n" + diff_of("zwei", "deux")) +
      mail("[PATCH 1/1] block: an older version", diff_of("two", "old")) +
      mail("Re: [PATCH v2 1/2] block: first", "> " + diff_of("two", "zwei") + "I would write\n\n" + diff_of("two", "dos")) +
      mail("[PATCH v2 1/2] block: first,\n in two lines",
           "From here it goes on.\n>From there too.\n---\n\n" + diff_of("two", "zwei")));
  EXPECT_EQ(file(patched), "int one;\nint deux;\nint three;\n");
  EXPECT_EQ(patched.applied, (Names{"[PATCH v2 1/2] block: first, in two lines", "[PATCH v2 2/2] block: second"}));
  ASSERT_EQ(patched.notes.size(), 1U);
  EXPECT_NE(patched.notes[0].find("v2 is taken"), std::string::npos);
}

TEST_F(Patch, MailIsDecoded) {
  const std::string diff = diff_of("two", "zwei");
  EXPECT_EQ(file(apply_text(mail(
                "[PATCH] =?utf-8?q?quoted=20printable?=", "=41bout it\n---\n" + diff.substr(0, 70) + "=\n" + diff.substr(70),
                "Content-Transfer-Encoding: quoted-printable\n"))),
            "int one;\nint zwei;\nint three;\n");
  // The same diff in base64, by base64(1).
  constexpr const char* base64 =
      "LS0tIGEvYmxvY2svZWxldmF0b3IuYworKysgYi9ibG9jay9lbGV2YXRvci5jCkBAIC0xLDMgKzEs\nMyBAQAogaW50IG9uZTsKLWludCB0d287CitpbnQ"
      "gendlaTsKIGludCB0aHJlZTsK\n";
  EXPECT_EQ(file(apply_text("From 1 Mon Sep 17 00:00:00 2001\nSubject: [PATCH] attached\nContent-Type: multipart/mixed; "
                            "boundary=\"XY\"\n\n--XY\n\nSee "
                            "the attachment.\n--XY\nContent-Transfer-Encoding: base64\n\n" +
                            std::string(base64) + "--XY--\n")),
            "int one;\nint zwei;\nint three;\n");
  std::string dos;
  for (const char c : diff) dos += c == '\n' ? "\r\n" : std::string(1, c);
  EXPECT_EQ(file(apply_text(dos)), "int one;\nint zwei;\nint three;\n");
  EXPECT_EQ(split_mails("From 1 x\nSubject: =?utf-8?b?Z3LDvMOfZQ==?= to you\n\nbody\n").front().subject, "grüße to you");
}

TEST_F(Patch, ACompressedMboxIsRead) {
  const auto path = (folder.path() / "t.mbox.gz").string();
  const gzFile out = gzopen(path.c_str(), "wb");
  gzputs(out, mail("[PATCH] packed", diff_of("two", "zwei")).c_str());
  gzclose(out);
  EXPECT_EQ(file(apply({path})), "int one;\nint zwei;\nint three;\n");
}

TEST_F(Patch, PathsMayHaveOtherFolders) {
  std::string plain = diff_of("two", "zwei");
  for (const char* prefix : {"a/", "b/"}) plain.erase(plain.find(std::string(" ") + prefix) + 1, 2);
  EXPECT_EQ(file(apply_text(plain)), "int one;\nint zwei;\nint three;\n");  // diff.noprefix
  EXPECT_EQ(file(apply_text(diff_of("two", "zwei", "src/linux/"))),
            "int one;\nint zwei;\nint three;\n");  // made outside of the tree
}

TEST_F(Patch, FilesComeGoAndMove) {
  const PatchedTree patched = apply_text(
      "diff --git a/block/new.h b/block/new.h\nnew file mode 100644\nindex 000..111\n--- /dev/null\n+++ b/block/new.h\n@@ "
      "-0,0 +1 @@\n+int new;\n"
      "diff --git a/block/elevator.c b/block/lift.c\nsimilarity index 90%\nrename from block/elevator.c\nrename to "
      "block/lift.c\n"
      "--- a/block/elevator.c\n+++ b/block/lift.c\n@@ -1,3 +1,2 @@\n int one;\n-int two;\n int three;\n"
      "diff --git a/include/linux/blkdev.h b/include/linux/blkdev.h\ndeleted file mode 100644\n--- "
      "a/include/linux/blkdev.h\n+++ /dev/null\n"
      "@@ -1 +0,0 @@\n-struct request;\n");
  const auto root = patched.tree.root;
  EXPECT_EQ(read_file(root / "block/new.h"), "int new;\n");
  EXPECT_EQ(read_file(root / "block/lift.c"), "int one;\nint three;\n");
  EXPECT_FALSE(std::filesystem::exists(root / "block/elevator.c"));
  EXPECT_FALSE(std::filesystem::exists(root / "include/linux/blkdev.h"));
  EXPECT_EQ(patched.changed, (Names{"block/new.h", "block/elevator.c", "block/lift.c", "include/linux/blkdev.h"}));
}

TEST_F(Patch, WhatDoesNotApplyIsUntestableAndNamed) {
  EXPECT_THROW(apply_text(diff_of("due", "zwei")), BuildError);
  EXPECT_TRUE(error_of("Hello,\n\n" + diff_of("due", "zwei"))
                  .starts_with(":5: hunk 1 of block/elevator.c does not apply to this tree"))
      << error_of("Hello,\n\n" + diff_of("due", "zwei"));
  EXPECT_EQ(error_of("--- a/block/lift.c\n+++ b/block/lift.c\n@@ -1 +1 @@\n-a\n+b\n"),
            ":1: block/lift.c is not in this tree");
  EXPECT_EQ(error_of("--- /dev/null\n+++ b/block/elevator.c\n@@ -0,0 +1 @@\n+b\n"),
            ":1: block/elevator.c is new in the patch, but this tree has it");
  std::string done = diff_of("due", "two");
  EXPECT_NE(error_of(done).find("has this change already"), std::string::npos) << error_of(done);
  EXPECT_NE(error_of("--- a/Documentation/x.rst\n+++ b/Documentation/x.rst\n@@ -1 +1 @@\n-a\n+b\n")
                .find("changes nothing that is built here"),
            std::string::npos);
}

TEST_F(Patch, ADamagedPatchIsAnInputErrorWithItsLine) {
  EXPECT_THROW(apply_text("hello\n"), InputError);
  EXPECT_TRUE(
      error_of(
          "--- a/block/elevator.c\n+++ b/block/elevator.c\n@@ -1,3 +1,3 @@\n int one; but this\nwas wrapped\n-int two;\n")
          .starts_with(":5: the hunk of line 3 does not have as many lines as it says"));
  EXPECT_TRUE(error_of("--- a/block/elevator.c\n+++ b/block/elevator.c\n@@ -1,3 +1,3 @@\n int one;\n")
                  .starts_with(":3: the hunk of line 3"));
  EXPECT_TRUE(error_of("--- a/block/elevator.c\n+++ b/block/elevator.c\n@@ one @@\n int one;\n")
                  .starts_with(":1: a diff without hunks"));
  EXPECT_TRUE(error_of("diff --git a/block/elevator.c b/block/elevator.c\nGIT binary patch\nliteral 3\n")
                  .starts_with(":1: a binary patch"));
  EXPECT_NE(message_of([&] { apply({"/nowhere/v2.mbox"}); }).find("there is no such file"), std::string::npos);
}

}  // namespace
}  // namespace elvcheck::kernel
